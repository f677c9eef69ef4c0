// SPDX-License-Identifier: Apache-2.0
// Calls each wrapper that tvm-ffi stub --lang=rust made of typed.c.
mod typed;

use std::ffi::CString;
use std::os::raw::c_void;
use typed::*;

const CPU: DLDevice = DLDevice { device_type: 1, device_id: 0 };
const FLOAT32: DLDataType = DLDataType { code: 2, bits: 32, lanes: 1 };

fn tensor(data: &mut [f32], shape: &mut i64, stride: &mut i64) -> DLTensor {
    DLTensor {
        data: data.as_mut_ptr() as *mut c_void,
        device: CPU,
        ndim: 1,
        dtype: FLOAT32,
        shape,
        strides: stride,
        byte_offset: 0,
    }
}

unsafe fn use_tensors() {
    let (mut from, mut into) = ([1.0, 2.0, 3.0, 4.0], [0.0; 4]);
    let (mut size, mut other_size, mut stride) = (4, 3, 1);
    let mut x = tensor(&mut from, &mut size, &mut stride);
    let mut y = tensor(&mut into, &mut size, &mut stride);
    let mut other = tensor(&mut into, &mut other_size, &mut stride);
    scale(&mut x, 2.5, &mut y).unwrap();
    assert_eq!(into, [2.5, 5.0, 7.5, 10.0]);
    assert_eq!(scale(&mut x, 2.5, &mut other).unwrap_err().kind, "ValueError");
    assert_eq!(scale(&mut x, 2.5, std::ptr::null_mut()).unwrap_err().kind, "TypeError");
}

unsafe fn use_others() {
    let word = CString::new("word").unwrap();
    let bytes = Bytes::new(&[0, 1, 2, 3, 4]);
    let mut something = 0;
    let pointer = &mut something as *mut i32 as *mut c_void;
    let cuda = DLDevice { device_type: 2, device_id: 1 };
    let shown = show(true, -3, 2.5, FLOAT32, cuda, &word, &bytes, pointer).unwrap();
    assert_eq!(shown, "1 -3 2.5 2/32 2:1 word 5 there");
    assert!(same_bool(true).unwrap());
    assert_eq!(same_int(-7).unwrap(), -7);
    assert_eq!(same_float(0.5).unwrap(), 0.5);
    assert_eq!(same_pointer(pointer).unwrap(), pointer);
    assert_eq!(same_dtype(FLOAT32).unwrap(), FLOAT32);
    assert_eq!(same_device(cuda).unwrap(), cuda);
    assert_eq!(same_str(&word).unwrap(), "word");
    assert_eq!(same_bytes(&bytes).unwrap(), [0, 1, 2, 3, 4]);
    let long = b"more than are in place";
    assert_eq!(same_bytes(&Bytes::new(long)).unwrap(), long);
    assert_eq!(load(9).unwrap(), 9);
    assert_eq!(i64::from_any(packed(&[1i64.to_any(), true.to_any()]).unwrap()).unwrap(), 2);
    assert_eq!(count_none(None, None, None, None, None).unwrap(), 5);
    assert_eq!(count_none(Some(7), None, Some(&word), None, Some(CPU)).unwrap(), 2);
    assert_eq!(same_optional_int(Some(7)).unwrap(), Some(7));
    assert_eq!(same_optional_int(None).unwrap(), None);
    assert!(same_optional_array(None).unwrap().is_none());
    assert_eq!(i64::from_any(same_union(7i64.to_any()).unwrap()).unwrap(), 7);
    // A long text is an object; it goes in and comes out as one.
    let text = CString::new("a text that is an object").unwrap();
    let object = Object::from_any(return_((&*text).to_any()).unwrap()).unwrap();
    let same = same_object(&object).unwrap();
    assert_eq!(same.handle(), object.handle());
    assert_eq!(lies().unwrap_err().kind, "TypeError");
}

fn main() {
    unsafe {
        use_tensors();
        use_others();
    }
    println!("all called");
}
