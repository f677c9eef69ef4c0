// SPDX-License-Identifier: Apache-2.0
// Calls `scale` of a kernel library from Rust: scale KERNEL
#[allow(warnings)]
mod tvm {
    include!("tvm_ffi.rs");
}
use std::{env, ffi::CStr, ffi::CString, mem::zeroed};

fn check(code: i32) -> Result<(), String> {
    let mut text = [0; 1000];
    if code == 0 {
        return Ok(());
    }
    unsafe { tvm::TVMFFIRuntimeErrorTake(text.as_mut_ptr(), 1000) };
    Err(unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into())
}

fn main() -> Result<(), String> {
    let path = CString::new(env::args().nth(1).unwrap()).unwrap();
    let (mut x, mut shape, mut strides) = ([1.0, 3.0, 5.0], [3], [1]);
    unsafe {
        let (mut module, mut scale) = (zeroed(), zeroed());
        check(tvm::TVMFFIRuntimeModuleLoad(path.as_ptr(), &mut module))?;
        check(tvm::TVMFFIRuntimeModuleGetFunction(module, b"scale\0".as_ptr().cast(), &mut scale))?;

        let mut tensor: tvm::DLTensor = zeroed();
        (tensor.data, tensor.device.device_type) = (x.as_mut_ptr().cast(), tvm::kDLCPU);
        (tensor.ndim, tensor.shape, tensor.strides) = (1, shape.as_mut_ptr(), strides.as_mut_ptr());
        tensor.dtype = tvm::DLDataType { code: tvm::kDLFloat as u8, bits: 64, lanes: 1 };
        let (mut args, mut result) = ([zeroed::<tvm::TVMFFIAny>(); 3], zeroed());
        for arg in &mut args[..2] {
            arg.type_index = tvm::kTVMFFIDLTensorPtr;
            arg.__bindgen_anon_2.v_ptr = (&mut tensor as *mut tvm::DLTensor).cast();
        }
        args[2].type_index = tvm::kTVMFFIFloat;
        args[2].__bindgen_anon_2.v_float64 = 1.5;
        check(tvm::TVMFFIFunctionCall(scale, args.as_mut_ptr(), 3, &mut result))?;
        println!("scaled: {} {} {}", x[0], x[1], x[2]);
        let refused = check(tvm::TVMFFIFunctionCall(scale, args.as_mut_ptr(), 2, &mut result));
        println!("{}", refused.unwrap_err());
        tvm::TVMFFIObjectDecRef(scale);
        tvm::TVMFFIObjectDecRef(module);
    }
    Ok(())
}
