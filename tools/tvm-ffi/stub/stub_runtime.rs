// SPDX-License-Identifier: Apache-2.0
#![allow(dead_code, non_snake_case, unused_imports)]
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

pub use self::support::{
    Any, AnyContent, Bytes, DLDataType, DLDevice, DLTensor, Error, FromAny, Object, ToAny, Value,
};
pub use self::wrappers::*;

/// What the wrappers use. It is apart from them, because a parameter cannot have the name of a
/// constant or of a constructor where that can be seen.
mod support {
    use std::ffi::CStr;
    use std::os::raw::{c_char, c_int, c_void};

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DLDataType {
        pub code: u8,
        pub bits: u8,
        pub lanes: u16,
    }

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DLDevice {
        pub device_type: i32,
        pub device_id: i32,
    }

    #[repr(C)]
    pub struct DLTensor {
        pub data: *mut c_void,
        pub device: DLDevice,
        pub ndim: i32,
        pub dtype: DLDataType,
        pub shape: *mut i64,
        pub strides: *mut i64,
        pub byte_offset: u64,
    }

    /// Bytes, for as long as they are borrowed.
    #[repr(C)]
    pub struct Bytes<'a> {
        data: *const u8,
        size: usize,
        of: std::marker::PhantomData<&'a [u8]>,
    }

    impl<'a> Bytes<'a> {
        pub fn new(of: &'a [u8]) -> Self {
            Bytes { data: of.as_ptr(), size: of.len(), of: std::marker::PhantomData }
        }
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub union AnyContent {
        pub v_int64: i64,
        pub v_float64: f64,
        pub v_ptr: *mut c_void,
        pub v_dtype: DLDataType,
        pub v_device: DLDevice,
        pub v_bytes: [u8; 8],
    }

    /// A value as the ABI has it; it owns nothing.
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Any {
        pub type_index: i32,
        pub small_size: u32,
        pub content: AnyContent,
    }

    const NONE: i32 = 0;
    const INT: i32 = 1;
    const BOOL: i32 = 2;
    const FLOAT: i32 = 3;
    const POINTER: i32 = 4;
    const DATA_TYPE: i32 = 5;
    const DEVICE: i32 = 6;
    const TENSOR_VIEW: i32 = 7;
    const RAW_STR: i32 = 8;
    const BYTES_VIEW: i32 = 9;
    const SMALL_STR: i32 = 11;
    const SMALL_BYTES: i32 = 12;
    const FIRST_OBJECT: i32 = 64;
    const STR: i32 = 65;
    const BYTES: i32 = 66;
    /// What follows the header of every object.
    const HEADER_SIZE: usize = 24;

    pub type Kernel = unsafe extern "C" fn(*mut c_void, *const Any, i32, *mut Any) -> c_int;

    extern "C" {
        fn TVMFFIErrorMoveFromRaised(error: *mut *mut c_void);
        fn TVMFFIObjectDecRef(object: *mut c_void) -> c_int;
    }

    /// What a function raised, or that its result is of another type than it tells.
    #[derive(Debug)]
    pub struct Error {
        pub kind: String,
        pub message: String,
    }

    impl std::fmt::Display for Error {
        fn fmt(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
            write!(to, "{}: {}", self.kind, self.message)
        }
    }

    impl std::error::Error for Error {}

    unsafe fn copy_bytes(cell: *const u8) -> Vec<u8> {
        let data = *(cell as *const *const u8);
        let size = *(cell.add(std::mem::size_of::<usize>()) as *const usize);
        if size == 0 { Vec::new() } else { std::slice::from_raw_parts(data, size).to_vec() }
    }

    unsafe fn take_error() -> Error {
        let mut object: *mut c_void = std::ptr::null_mut();
        TVMFFIErrorMoveFromRaised(&mut object);
        if object.is_null() {
            return Error { kind: "InternalError".into(), message: "no error was raised".into() };
        }
        let cell = (object as *const u8).add(HEADER_SIZE);
        let kind = copy_bytes(cell);
        let message = copy_bytes(cell.add(2 * std::mem::size_of::<usize>()));
        TVMFFIObjectDecRef(object);
        Error {
            kind: String::from_utf8_lossy(&kind).into_owned(),
            message: String::from_utf8_lossy(&message).into_owned(),
        }
    }

    /// A value that owns what it refers to.
    pub struct Value(pub Any);

    impl Drop for Value {
        fn drop(&mut self) {
            if self.0.type_index >= FIRST_OBJECT {
                unsafe { TVMFFIObjectDecRef(self.0.content.v_ptr) };
            }
        }
    }

    /// A reference to an object.
    pub struct Object(Value);

    impl Object {
        pub fn handle(&self) -> *mut c_void {
            unsafe { self.0 .0.content.v_ptr }
        }
    }

    /// What can be an argument.
    pub trait ToAny {
        fn to_any(&self) -> Any;
    }

    fn make(type_index: i32, content: AnyContent) -> Any {
        // All eight bytes are written: some values fill but a part of them.
        let mut any = Any { type_index, small_size: 0, content: AnyContent { v_int64: 0 } };
        any.content = content;
        any
    }

    fn make_pointer(type_index: i32, pointer: *mut c_void) -> Any {
        let mut any = Any { type_index, small_size: 0, content: AnyContent { v_int64: 0 } };
        if pointer.is_null() && type_index != POINTER {
            any.type_index = NONE;
        }
        any.content.v_ptr = pointer;
        any
    }

    impl ToAny for Any {
        fn to_any(&self) -> Any { *self }
    }
    impl ToAny for Value {
        fn to_any(&self) -> Any { self.0 }
    }
    impl ToAny for &Object {
        fn to_any(&self) -> Any { self.0 .0 }
    }
    impl ToAny for bool {
        fn to_any(&self) -> Any { make(BOOL, AnyContent { v_int64: *self as i64 }) }
    }
    impl ToAny for i64 {
        fn to_any(&self) -> Any { make(INT, AnyContent { v_int64: *self }) }
    }
    impl ToAny for f64 {
        fn to_any(&self) -> Any { make(FLOAT, AnyContent { v_float64: *self }) }
    }
    impl ToAny for DLDataType {
        fn to_any(&self) -> Any {
            let mut any = make(DATA_TYPE, AnyContent { v_int64: 0 });
            any.content.v_dtype = *self;
            any
        }
    }
    impl ToAny for DLDevice {
        fn to_any(&self) -> Any { make(DEVICE, AnyContent { v_device: *self }) }
    }
    impl ToAny for *mut c_void {
        fn to_any(&self) -> Any { make_pointer(POINTER, *self) }
    }
    impl ToAny for *mut DLTensor {
        fn to_any(&self) -> Any { make_pointer(TENSOR_VIEW, *self as *mut c_void) }
    }
    impl ToAny for &CStr {
        fn to_any(&self) -> Any {
            make_pointer(RAW_STR, self.as_ptr() as *mut c_char as *mut c_void)
        }
    }
    impl<'a> ToAny for &Bytes<'a> {
        fn to_any(&self) -> Any {
            make_pointer(BYTES_VIEW, *self as *const Bytes as *mut c_void)
        }
    }
    impl<T: ToAny> ToAny for Option<T> {
        fn to_any(&self) -> Any {
            match self {
                Some(value) => value.to_any(),
                None => make(NONE, AnyContent { v_int64: 0 }),
            }
        }
    }

    /// What can be a result.
    pub trait FromAny: Sized {
        fn from_any(value: Value) -> Result<Self, Error>;
    }

    fn mismatch<T>(value: &Value, expected: &str) -> Result<T, Error> {
        let message = format!("expected {}, got a value of type {}", expected, value.0.type_index);
        Err(Error { kind: "TypeError".into(), message })
    }

    impl FromAny for () {
        fn from_any(_: Value) -> Result<Self, Error> { Ok(()) }
    }
    impl FromAny for Value {
        fn from_any(value: Value) -> Result<Self, Error> { Ok(value) }
    }
    impl FromAny for Object {
        fn from_any(value: Value) -> Result<Self, Error> {
            if value.0.type_index < FIRST_OBJECT {
                return mismatch(&value, "an object");
            }
            Ok(Object(value))
        }
    }
    impl FromAny for i64 {
        fn from_any(value: Value) -> Result<Self, Error> {
            match value.0.type_index {
                INT | BOOL => Ok(unsafe { value.0.content.v_int64 }),
                _ => mismatch(&value, "int"),
            }
        }
    }
    impl FromAny for bool {
        fn from_any(value: Value) -> Result<Self, Error> {
            i64::from_any(value).map(|number| number != 0)
        }
    }
    impl FromAny for f64 {
        fn from_any(value: Value) -> Result<Self, Error> {
            match value.0.type_index {
                FLOAT => Ok(unsafe { value.0.content.v_float64 }),
                INT | BOOL => Ok(unsafe { value.0.content.v_int64 } as f64),
                _ => mismatch(&value, "float"),
            }
        }
    }
    impl FromAny for DLDataType {
        fn from_any(value: Value) -> Result<Self, Error> {
            if value.0.type_index != DATA_TYPE { return mismatch(&value, "dtype"); }
            Ok(unsafe { value.0.content.v_dtype })
        }
    }
    impl FromAny for DLDevice {
        fn from_any(value: Value) -> Result<Self, Error> {
            if value.0.type_index != DEVICE { return mismatch(&value, "Device"); }
            Ok(unsafe { value.0.content.v_device })
        }
    }
    impl FromAny for *mut c_void {
        fn from_any(value: Value) -> Result<Self, Error> {
            match value.0.type_index {
                POINTER | NONE => Ok(unsafe { value.0.content.v_ptr }),
                _ => mismatch(&value, "void*"),
            }
        }
    }
    impl FromAny for Vec<u8> {
        fn from_any(value: Value) -> Result<Self, Error> {
            match value.0.type_index {
                SMALL_STR | SMALL_BYTES => {
                    Ok(unsafe { value.0.content.v_bytes }[..value.0.small_size as usize].to_vec())
                }
                STR | BYTES => {
                    Ok(unsafe { copy_bytes((value.0.content.v_ptr as *const u8).add(HEADER_SIZE)) })
                }
                _ => mismatch(&value, "bytes"),
            }
        }
    }
    impl FromAny for String {
        fn from_any(value: Value) -> Result<Self, Error> {
            match value.0.type_index {
                SMALL_STR | STR => {
                    Vec::from_any(value).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                }
                _ => mismatch(&value, "str"),
            }
        }
    }
    impl<T: FromAny> FromAny for Option<T> {
        fn from_any(value: Value) -> Result<Self, Error> {
            if value.0.type_index == NONE { Ok(None) } else { T::from_any(value).map(Some) }
        }
    }

    pub unsafe fn call<T: FromAny>(kernel: Kernel, args: &[Any]) -> Result<T, Error> {
        let mut result = make(NONE, AnyContent { v_int64: 0 });
        if kernel(std::ptr::null_mut(), args.as_ptr(), args.len() as i32, &mut result) != 0 {
            return Err(take_error());
        }
        T::from_any(Value(result))
    }
}
