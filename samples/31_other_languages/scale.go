// SPDX-License-Identifier: Apache-2.0
// Calls `scale` of a kernel library from Go: scale KERNEL
package main

// #cgo LDFLAGS: -ltvm_ffi
// #include <stdlib.h>
// #include "tvm_ffi.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

func takeError() string {
	text := [1000]C.char{}
	C.TVMFFIRuntimeErrorTake(&text[0], 1000)
	return C.GoString(&text[0])
}

func check(code C.int) {
	if code != 0 {
		panic(takeError())
	}
}

func main() {
	runtime.LockOSThread() // the error of a call is read in the thread of the call
	var module, scale C.TVMFFIObjectHandle
	var result C.TVMFFIAny
	check(C.TVMFFIRuntimeModuleLoad(C.CString(os.Args[1]), &module))
	check(C.TVMFFIRuntimeModuleGetFunction(module, C.CString("scale"), &scale))

	// In C's memory: what C reads must not hold pointers to memory of Go.
	x, shape := (*[3]float64)(C.calloc(3, 8)), (*[2]C.int64_t)(C.calloc(2, 8))
	tensor := (*C.DLTensor)(C.calloc(1, C.sizeof_DLTensor))
	args := (*[3]C.TVMFFIAny)(C.calloc(3, C.sizeof_TVMFFIAny))
	*x, *shape = [3]float64{1, 3, 5}, [2]C.int64_t{3, 1}
	tensor.data, tensor.ndim, tensor.device.device_type = unsafe.Pointer(x), 1, C.kDLCPU
	tensor.shape, tensor.strides = &shape[0], &shape[1]
	tensor.dtype = C.DLDataType{code: C.kDLFloat, bits: 64, lanes: 1}
	for i := range args[:2] {
		args[i].type_index = C.kTVMFFIDLTensorPtr
		*(**C.DLTensor)(unsafe.Pointer(&args[i].anon1)) = tensor
	}
	args[2].type_index, *(*float64)(unsafe.Pointer(&args[2].anon1)) = C.kTVMFFIFloat, 1.5
	check(C.TVMFFIFunctionCall(scale, &args[0], 3, &result))
	fmt.Println("scaled:", x[0], x[1], x[2])
	if C.TVMFFIFunctionCall(scale, &args[0], 2, &result) != 0 {
		fmt.Println(takeError())
	}
	C.TVMFFIObjectDecRef(scale)
	C.TVMFFIObjectDecRef(module)
}
