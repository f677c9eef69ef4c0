/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins the ABI of c_api.h: sizes, offsets, alignments and numbers, field by field.
 *
 * What to do if a line of this file does not compile: nothing here may be changed to fit. The
 * numbers are those of the ABI for three kinds of machines, and programs built elsewhere rely on
 * them. Mend the header, or the compiler flags that alter layouts.
 */
#include <tvm/ffi/c_api.h>

#include "pin.h"

/* ---- Numbers ---- */

PIN(kTVMFFIAny == -1);
PIN(kTVMFFINone == 0);
PIN(kTVMFFIInt == 1);
PIN(kTVMFFIBool == 2);
PIN(kTVMFFIFloat == 3);
PIN(kTVMFFIOpaquePtr == 4);
PIN(kTVMFFIDataType == 5);
PIN(kTVMFFIDevice == 6);
PIN(kTVMFFIDLTensorPtr == 7);
PIN(kTVMFFIRawStr == 8);
PIN(kTVMFFIByteArrayPtr == 9);
PIN(kTVMFFIObjectRValueRef == 10);
PIN(kTVMFFISmallStr == 11);
PIN(kTVMFFISmallBytes == 12);
PIN(kTVMFFIUnchanged == 13);
PIN(kTVMFFIStaticObjectBegin == 64);
PIN(kTVMFFIObject == 64);
PIN(kTVMFFIStr == 65);
PIN(kTVMFFIBytes == 66);
PIN(kTVMFFIError == 67);
PIN(kTVMFFIFunction == 68);
PIN(kTVMFFIShape == 69);
PIN(kTVMFFITensor == 70);
PIN(kTVMFFIArray == 71);
PIN(kTVMFFIMap == 72);
PIN(kTVMFFIModule == 73);
PIN(kTVMFFIOpaquePyObject == 74);
PIN(kTVMFFIList == 75);
PIN(kTVMFFIDict == 76);
PIN(kTVMFFIVisitInterrupt == 77);
PIN(kTVMFFIBigInt == 78);
PIN(kTVMFFIStaticObjectEnd == 79);
PIN(kTVMFFIDynObjectBegin == 128);

PIN(kTVMFFIObjectDeleterFlagBitMaskStrong == 1);
PIN(kTVMFFIObjectDeleterFlagBitMaskWeak == 2);
PIN(kTVMFFIObjectDeleterFlagBitMaskBoth == 3);
PIN(kTVMFFIBacktraceUpdateModeReplace == 0);
PIN(kTVMFFIBacktraceUpdateModeAppend == 1);
PIN(kTVMFFISEqHashKindUnsupported == 0);
PIN(kTVMFFISEqHashKindTreeNode == 1);
PIN(kTVMFFISEqHashKindFreeVar == 2);
PIN(kTVMFFISEqHashKindDAGNode == 3);
PIN(kTVMFFISEqHashKindConstTreeNode == 4);
PIN(kTVMFFISEqHashKindUniqueInstance == 5);
PIN(kTVMFFIDefRegionKindNone == 0);
PIN(kTVMFFIDefRegionKindPattern == 1);
PIN(kTVMFFIDefRegionKindSimple == 2);
PIN(kTVMFFIFieldFlagBitMaskWritable == 0x0001);
PIN(kTVMFFIFieldFlagBitMaskHasDefault == 0x0002);
PIN(kTVMFFIFieldFlagBitMaskIsStaticMethod == 0x0004);
PIN(kTVMFFIFieldFlagBitMaskSEqHashIgnore == 0x0008);
PIN(kTVMFFIFieldFlagBitMaskSEqHashDefPattern == 0x0010);
PIN(kTVMFFIFieldFlagBitMaskDefaultFromFactory == 0x0020);
PIN(kTVMFFIFieldFlagBitMaskReprOff == 0x0040);
PIN(kTVMFFIFieldFlagBitMaskCompareOff == 0x0080);
PIN(kTVMFFIFieldFlagBitMaskHashOff == 0x0100);
PIN(kTVMFFIFieldFlagBitMaskInitOff == 0x0200);
PIN(kTVMFFIFieldFlagBitMaskKwOnly == 0x0400);
PIN(kTVMFFIFieldFlagBitSetterIsFunctionObj == 0x0800);
PIN(kTVMFFIFieldFlagBitMaskSEqHashDefSimple == 0x1000);

PIN_SIZE(TVMFFITypeIndex, 4, 4, 4);
PIN_SIZE(TVMFFIObjectDeleterFlagBitMask, 4, 4, 4);
PIN_SIZE(TVMFFIBacktraceUpdateMode, 4, 4, 4);
PIN_SIZE(TVMFFISEqHashKind, 4, 4, 4);
PIN_SIZE(TVMFFIDefRegionKind, 4, 4, 4);
PIN_SIZE(TVMFFIFieldFlagBitMask, 4, 4, 4);
PIN_SIZE(TVMFFIObjectHandle, 8, 4, 4);

PIN(TVM_FFI_VERSION_MAJOR == 0);
PIN(TVM_FFI_VERSION_MINOR == 1);
PIN(TVM_FFI_VERSION_PATCH == 16);

/* ---- Structs: offset, then size of each field ---- */

ALIGN_PROBE(TVMFFIVersion);
ALIGN_PROBE(TVMFFIObject);
ALIGN_PROBE(TVMFFIAny);
ALIGN_PROBE(TVMFFIByteArray);
ALIGN_PROBE(TVMFFIShapeCell);
ALIGN_PROBE(TVMFFISeqCell);
ALIGN_PROBE(TVMFFIErrorCell);
ALIGN_PROBE(TVMFFIFunctionCell);
ALIGN_PROBE(TVMFFIOpaqueObjectCell);
ALIGN_PROBE(TVMFFIObjectAllocHeader);
ALIGN_PROBE(TVMFFICustomAllocator);
ALIGN_PROBE(TVMFFIFieldInfo);
ALIGN_PROBE(TVMFFIMethodInfo);
ALIGN_PROBE(TVMFFITypeMetadata);
ALIGN_PROBE(TVMFFITypeAttrColumn);
ALIGN_PROBE(TVMFFITypeInfo);

PIN_FIELD(TVMFFIVersion, major, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIVersion, major, 4, 4, 4);
PIN_FIELD(TVMFFIVersion, minor, 4, 4, 4);
PIN_FIELD_SIZE(TVMFFIVersion, minor, 4, 4, 4);
PIN_FIELD(TVMFFIVersion, patch, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIVersion, patch, 4, 4, 4);
PIN_SIZE(TVMFFIVersion, 12, 12, 12);
PIN_ALIGN(TVMFFIVersion, 4, 4, 4);

PIN_FIELD(TVMFFIObject, combined_ref_count, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIObject, combined_ref_count, 8, 8, 8);
PIN_FIELD(TVMFFIObject, type_index, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIObject, type_index, 4, 4, 4);
PIN_FIELD(TVMFFIObject, __padding, 12, 12, 12);
PIN_FIELD_SIZE(TVMFFIObject, __padding, 4, 4, 4);
PIN_FIELD(TVMFFIObject, deleter, 16, 16, 16);
PIN_FIELD_SIZE(TVMFFIObject, deleter, 8, 4, 4);
PIN_FIELD(TVMFFIObject, __ensure_align, 16, 16, 16);
PIN_FIELD_SIZE(TVMFFIObject, __ensure_align, 8, 8, 8);
PIN_SIZE(TVMFFIObject, 24, 24, 24);
PIN_ALIGN(TVMFFIObject, 8, 8, 4);

PIN_FIELD(TVMFFIAny, type_index, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIAny, type_index, 4, 4, 4);
PIN_FIELD(TVMFFIAny, zero_padding, 4, 4, 4);
PIN_FIELD_SIZE(TVMFFIAny, zero_padding, 4, 4, 4);
PIN_FIELD(TVMFFIAny, small_str_len, 4, 4, 4);
PIN_FIELD_SIZE(TVMFFIAny, small_str_len, 4, 4, 4);
PIN_FIELD(TVMFFIAny, v_int64, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_int64, 8, 8, 8);
PIN_FIELD(TVMFFIAny, v_float64, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_float64, 8, 8, 8);
PIN_FIELD(TVMFFIAny, v_ptr, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_ptr, 8, 4, 4);
PIN_FIELD(TVMFFIAny, v_c_str, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_c_str, 8, 4, 4);
PIN_FIELD(TVMFFIAny, v_obj, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_obj, 8, 4, 4);
PIN_FIELD(TVMFFIAny, v_dtype, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_dtype, 4, 4, 4);
PIN_FIELD(TVMFFIAny, v_device, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_device, 8, 8, 8);
PIN_FIELD(TVMFFIAny, v_bytes, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_bytes, 8, 8, 8);
PIN_FIELD(TVMFFIAny, v_uint64, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFIAny, v_uint64, 8, 8, 8);
PIN_SIZE(TVMFFIAny, 16, 16, 16);
PIN_ALIGN(TVMFFIAny, 8, 8, 4);

PIN_FIELD(TVMFFIByteArray, data, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIByteArray, data, 8, 4, 4);
PIN_FIELD(TVMFFIByteArray, size, 8, 4, 4);
PIN_FIELD_SIZE(TVMFFIByteArray, size, 8, 4, 4);
PIN_SIZE(TVMFFIByteArray, 16, 8, 8);
PIN_ALIGN(TVMFFIByteArray, 8, 4, 4);

PIN_FIELD(TVMFFIShapeCell, data, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIShapeCell, data, 8, 4, 4);
PIN_FIELD(TVMFFIShapeCell, size, 8, 4, 4);
PIN_FIELD_SIZE(TVMFFIShapeCell, size, 8, 4, 4);
PIN_SIZE(TVMFFIShapeCell, 16, 8, 8);
PIN_ALIGN(TVMFFIShapeCell, 8, 4, 4);

PIN_FIELD(TVMFFISeqCell, data, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFISeqCell, data, 8, 4, 4);
PIN_FIELD(TVMFFISeqCell, size, 8, 8, 4);
PIN_FIELD_SIZE(TVMFFISeqCell, size, 8, 8, 8);
PIN_FIELD(TVMFFISeqCell, capacity, 16, 16, 12);
PIN_FIELD_SIZE(TVMFFISeqCell, capacity, 8, 8, 8);
PIN_FIELD(TVMFFISeqCell, data_deleter, 24, 24, 20);
PIN_FIELD_SIZE(TVMFFISeqCell, data_deleter, 8, 4, 4);
PIN_SIZE(TVMFFISeqCell, 32, 32, 24);
PIN_ALIGN(TVMFFISeqCell, 8, 8, 4);

PIN_FIELD(TVMFFIErrorCell, kind, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIErrorCell, kind, 16, 8, 8);
PIN_FIELD(TVMFFIErrorCell, message, 16, 8, 8);
PIN_FIELD_SIZE(TVMFFIErrorCell, message, 16, 8, 8);
PIN_FIELD(TVMFFIErrorCell, backtrace, 32, 16, 16);
PIN_FIELD_SIZE(TVMFFIErrorCell, backtrace, 16, 8, 8);
PIN_FIELD(TVMFFIErrorCell, update_backtrace, 48, 24, 24);
PIN_FIELD_SIZE(TVMFFIErrorCell, update_backtrace, 8, 4, 4);
PIN_FIELD(TVMFFIErrorCell, cause_chain, 56, 28, 28);
PIN_FIELD_SIZE(TVMFFIErrorCell, cause_chain, 8, 4, 4);
PIN_FIELD(TVMFFIErrorCell, extra_context, 64, 32, 32);
PIN_FIELD_SIZE(TVMFFIErrorCell, extra_context, 8, 4, 4);
PIN_SIZE(TVMFFIErrorCell, 72, 36, 36);
PIN_ALIGN(TVMFFIErrorCell, 8, 4, 4);

PIN_FIELD(TVMFFIFunctionCell, safe_call, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIFunctionCell, safe_call, 8, 4, 4);
PIN_FIELD(TVMFFIFunctionCell, cpp_call, 8, 4, 4);
PIN_FIELD_SIZE(TVMFFIFunctionCell, cpp_call, 8, 4, 4);
PIN_SIZE(TVMFFIFunctionCell, 16, 8, 8);
PIN_ALIGN(TVMFFIFunctionCell, 8, 4, 4);

PIN_FIELD(TVMFFIOpaqueObjectCell, handle, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIOpaqueObjectCell, handle, 8, 4, 4);
PIN_SIZE(TVMFFIOpaqueObjectCell, 8, 4, 4);
PIN_ALIGN(TVMFFIOpaqueObjectCell, 8, 4, 4);

PIN_FIELD(TVMFFIObjectAllocHeader, delete_space, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIObjectAllocHeader, delete_space, 8, 4, 4);
PIN_SIZE(TVMFFIObjectAllocHeader, 8, 4, 4);
PIN_ALIGN(TVMFFIObjectAllocHeader, 8, 4, 4);

PIN_FIELD(TVMFFICustomAllocator, allocate, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFICustomAllocator, allocate, 8, 4, 4);
PIN_FIELD(TVMFFICustomAllocator, context, 8, 4, 4);
PIN_FIELD_SIZE(TVMFFICustomAllocator, context, 8, 4, 4);
PIN_SIZE(TVMFFICustomAllocator, 16, 8, 8);
PIN_ALIGN(TVMFFICustomAllocator, 8, 4, 4);

PIN_FIELD(TVMFFIFieldInfo, name, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIFieldInfo, name, 16, 8, 8);
PIN_FIELD(TVMFFIFieldInfo, doc, 16, 8, 8);
PIN_FIELD_SIZE(TVMFFIFieldInfo, doc, 16, 8, 8);
PIN_FIELD(TVMFFIFieldInfo, metadata, 32, 16, 16);
PIN_FIELD_SIZE(TVMFFIFieldInfo, metadata, 16, 8, 8);
PIN_FIELD(TVMFFIFieldInfo, flags, 48, 24, 24);
PIN_FIELD_SIZE(TVMFFIFieldInfo, flags, 8, 8, 8);
PIN_FIELD(TVMFFIFieldInfo, size, 56, 32, 32);
PIN_FIELD_SIZE(TVMFFIFieldInfo, size, 8, 8, 8);
PIN_FIELD(TVMFFIFieldInfo, alignment, 64, 40, 40);
PIN_FIELD_SIZE(TVMFFIFieldInfo, alignment, 8, 8, 8);
PIN_FIELD(TVMFFIFieldInfo, offset, 72, 48, 48);
PIN_FIELD_SIZE(TVMFFIFieldInfo, offset, 8, 8, 8);
PIN_FIELD(TVMFFIFieldInfo, getter, 80, 56, 56);
PIN_FIELD_SIZE(TVMFFIFieldInfo, getter, 8, 4, 4);
PIN_FIELD(TVMFFIFieldInfo, setter, 88, 60, 60);
PIN_FIELD_SIZE(TVMFFIFieldInfo, setter, 8, 4, 4);
PIN_FIELD(TVMFFIFieldInfo, default_value_or_factory, 96, 64, 64);
PIN_FIELD_SIZE(TVMFFIFieldInfo, default_value_or_factory, 16, 16, 16);
PIN_FIELD(TVMFFIFieldInfo, field_static_type_index, 112, 80, 80);
PIN_FIELD_SIZE(TVMFFIFieldInfo, field_static_type_index, 4, 4, 4);
PIN_SIZE(TVMFFIFieldInfo, 120, 88, 84);
PIN_ALIGN(TVMFFIFieldInfo, 8, 8, 4);

PIN_FIELD(TVMFFIMethodInfo, name, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFIMethodInfo, name, 16, 8, 8);
PIN_FIELD(TVMFFIMethodInfo, doc, 16, 8, 8);
PIN_FIELD_SIZE(TVMFFIMethodInfo, doc, 16, 8, 8);
PIN_FIELD(TVMFFIMethodInfo, metadata, 32, 16, 16);
PIN_FIELD_SIZE(TVMFFIMethodInfo, metadata, 16, 8, 8);
PIN_FIELD(TVMFFIMethodInfo, flags, 48, 24, 24);
PIN_FIELD_SIZE(TVMFFIMethodInfo, flags, 8, 8, 8);
PIN_FIELD(TVMFFIMethodInfo, method, 56, 32, 32);
PIN_FIELD_SIZE(TVMFFIMethodInfo, method, 16, 16, 16);
PIN_SIZE(TVMFFIMethodInfo, 72, 48, 48);
PIN_ALIGN(TVMFFIMethodInfo, 8, 8, 4);

PIN_FIELD(TVMFFITypeMetadata, doc, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFITypeMetadata, doc, 16, 8, 8);
PIN_FIELD(TVMFFITypeMetadata, creator, 16, 8, 8);
PIN_FIELD_SIZE(TVMFFITypeMetadata, creator, 8, 4, 4);
PIN_FIELD(TVMFFITypeMetadata, total_size, 24, 12, 12);
PIN_FIELD_SIZE(TVMFFITypeMetadata, total_size, 4, 4, 4);
PIN_FIELD(TVMFFITypeMetadata, structural_eq_hash_kind, 28, 16, 16);
PIN_FIELD_SIZE(TVMFFITypeMetadata, structural_eq_hash_kind, 4, 4, 4);
PIN_SIZE(TVMFFITypeMetadata, 32, 20, 20);
PIN_ALIGN(TVMFFITypeMetadata, 8, 4, 4);

PIN_FIELD(TVMFFITypeAttrColumn, data, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFITypeAttrColumn, data, 8, 4, 4);
PIN_FIELD(TVMFFITypeAttrColumn, size, 8, 4, 4);
PIN_FIELD_SIZE(TVMFFITypeAttrColumn, size, 4, 4, 4);
PIN_FIELD(TVMFFITypeAttrColumn, begin_index, 12, 8, 8);
PIN_FIELD_SIZE(TVMFFITypeAttrColumn, begin_index, 4, 4, 4);
PIN_SIZE(TVMFFITypeAttrColumn, 16, 12, 12);
PIN_ALIGN(TVMFFITypeAttrColumn, 8, 4, 4);

PIN_FIELD(TVMFFITypeInfo, type_index, 0, 0, 0);
PIN_FIELD_SIZE(TVMFFITypeInfo, type_index, 4, 4, 4);
PIN_FIELD(TVMFFITypeInfo, type_depth, 4, 4, 4);
PIN_FIELD_SIZE(TVMFFITypeInfo, type_depth, 4, 4, 4);
PIN_FIELD(TVMFFITypeInfo, type_key, 8, 8, 8);
PIN_FIELD_SIZE(TVMFFITypeInfo, type_key, 16, 8, 8);
PIN_FIELD(TVMFFITypeInfo, type_ancestors, 24, 16, 16);
PIN_FIELD_SIZE(TVMFFITypeInfo, type_ancestors, 8, 4, 4);
PIN_FIELD(TVMFFITypeInfo, type_key_hash, 32, 24, 20);
PIN_FIELD_SIZE(TVMFFITypeInfo, type_key_hash, 8, 8, 8);
PIN_FIELD(TVMFFITypeInfo, num_fields, 40, 32, 28);
PIN_FIELD_SIZE(TVMFFITypeInfo, num_fields, 4, 4, 4);
PIN_FIELD(TVMFFITypeInfo, num_methods, 44, 36, 32);
PIN_FIELD_SIZE(TVMFFITypeInfo, num_methods, 4, 4, 4);
PIN_FIELD(TVMFFITypeInfo, fields, 48, 40, 36);
PIN_FIELD_SIZE(TVMFFITypeInfo, fields, 8, 4, 4);
PIN_FIELD(TVMFFITypeInfo, methods, 56, 44, 40);
PIN_FIELD_SIZE(TVMFFITypeInfo, methods, 8, 4, 4);
PIN_FIELD(TVMFFITypeInfo, metadata, 64, 48, 44);
PIN_FIELD_SIZE(TVMFFITypeInfo, metadata, 8, 4, 4);
PIN_SIZE(TVMFFITypeInfo, 72, 56, 48);
PIN_ALIGN(TVMFFITypeInfo, 8, 8, 4);

int main(void) {
  return 0;
}
