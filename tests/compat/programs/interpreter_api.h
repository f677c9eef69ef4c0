/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 50 functions of the ABI as pointers, so that one program can be run on any library that has
 * them. May be included several times; define API(result, name, parameters) before.
 */
API(int, TVMFFIAnyViewToOwnedAny, (const TVMFFIAny *, TVMFFIAny *))
API(const TVMFFIByteArray *, TVMFFIBacktrace, (const char *, int, const char *, int))
API(int, TVMFFIBigIntFromByteArray, (const TVMFFIByteArray *, TVMFFIAny *))
API(TVMFFIByteArray, TVMFFIBigIntGetContentByteArray, (const TVMFFIAny *))
API(int, TVMFFIBytesFromByteArray, (const TVMFFIByteArray *, TVMFFIAny *))
API(int, TVMFFIDataTypeFromString, (const TVMFFIByteArray *, DLDataType *))
API(int, TVMFFIDataTypeToString, (const DLDataType *, TVMFFIAny *))
API(int, TVMFFIEnvCheckSignals, (void))
API(DLPackManagedTensorAllocator, TVMFFIEnvGetDLPackManagedTensorAllocator, (void))
API(TVMFFIStreamHandle, TVMFFIEnvGetStream, (int32_t, int32_t))
API(int, TVMFFIEnvModLookupFromImports, (TVMFFIObjectHandle, const char *, TVMFFIObjectHandle *))
API(int, TVMFFIEnvModRegisterContextSymbol, (const char *, void *))
API(int, TVMFFIEnvModRegisterSystemLibSymbol, (const char *, void *))
API(int, TVMFFIEnvRegisterCAPI, (const char *, void *))
API(int, TVMFFIEnvSetDLPackManagedTensorAllocator,
    (DLPackManagedTensorAllocator, int, DLPackManagedTensorAllocator *))
API(int, TVMFFIEnvSetStream, (int32_t, int32_t, TVMFFIStreamHandle, TVMFFIStreamHandle *))
API(int, TVMFFIEnvTensorAlloc, (DLTensor *, TVMFFIObjectHandle *))
API(int, TVMFFIErrorCreate,
    (const TVMFFIByteArray *, const TVMFFIByteArray *, const TVMFFIByteArray *,
     TVMFFIObjectHandle *))
API(int, TVMFFIErrorCreateWithCauseAndExtraContext,
    (const TVMFFIByteArray *, const TVMFFIByteArray *, const TVMFFIByteArray *, TVMFFIObjectHandle,
     TVMFFIObjectHandle, TVMFFIObjectHandle *))
API(void, TVMFFIErrorMoveFromRaised, (TVMFFIObjectHandle *))
API(void, TVMFFIErrorSetRaised, (TVMFFIObjectHandle))
API(void, TVMFFIErrorSetRaisedFromCStr, (const char *, const char *))
API(void, TVMFFIErrorSetRaisedFromCStrParts, (const char *, const char **, int32_t))
API(int, TVMFFIFunctionCall, (TVMFFIObjectHandle, TVMFFIAny *, int32_t, TVMFFIAny *))
API(int, TVMFFIFunctionCreate, (void *, TVMFFISafeCallType, void (*)(void *), TVMFFIObjectHandle *))
API(int, TVMFFIFunctionGetGlobal, (const TVMFFIByteArray *, TVMFFIObjectHandle *))
API(int, TVMFFIFunctionSetGlobal, (const TVMFFIByteArray *, TVMFFIObjectHandle, int))
API(int, TVMFFIFunctionSetGlobalFromMethodInfo, (const TVMFFIMethodInfo *, int))
API(TVMFFICustomAllocator *, TVMFFIGetCustomAllocator, (void))
API(const TVMFFITypeAttrColumn *, TVMFFIGetTypeAttrColumn, (const TVMFFIByteArray *))
API(const TVMFFITypeInfo *, TVMFFIGetTypeInfo, (int32_t))
API(void, TVMFFIGetVersion, (TVMFFIVersion *))
API(int, TVMFFIHandleDeinitOnce, (void **, int (*)(void *)))
API(int, TVMFFIHandleInitOnce, (void **, int (*)(void **)))
API(int, TVMFFIObjectCreateOpaque, (void *, int32_t, void (*)(void *), TVMFFIObjectHandle *))
API(int, TVMFFIObjectDecRef, (TVMFFIObjectHandle))
API(int, TVMFFIObjectIncRef, (TVMFFIObjectHandle))
API(int, TVMFFISetCustomAllocator, (TVMFFICustomAllocator *))
API(int, TVMFFIStringFromByteArray, (const TVMFFIByteArray *, TVMFFIAny *))
API(int, TVMFFITensorCreateUnsafeView, (TVMFFIObjectHandle, const DLTensor *, TVMFFIObjectHandle *))
API(int, TVMFFITensorFromDLPack, (DLManagedTensor *, int32_t, int32_t, TVMFFIObjectHandle *))
API(int, TVMFFITensorFromDLPackVersioned,
    (DLManagedTensorVersioned *, int32_t, int32_t, TVMFFIObjectHandle *))
API(int, TVMFFITensorToDLPack, (TVMFFIObjectHandle, DLManagedTensor **))
API(int, TVMFFITensorToDLPackVersioned, (TVMFFIObjectHandle, DLManagedTensorVersioned **))
API(int32_t, TVMFFITypeGetOrAllocIndex,
    (const TVMFFIByteArray *, int32_t, int32_t, int32_t, int32_t, int32_t))
API(int, TVMFFITypeKeyToIndex, (const TVMFFIByteArray *, int32_t *))
API(int, TVMFFITypeRegisterAttr, (int32_t, const TVMFFIByteArray *, const TVMFFIAny *))
API(int, TVMFFITypeRegisterField, (int32_t, const TVMFFIFieldInfo *))
API(int, TVMFFITypeRegisterMetadata, (int32_t, const TVMFFITypeMetadata *))
API(int, TVMFFITypeRegisterMethod, (int32_t, const TVMFFIMethodInfo *))
#undef API
