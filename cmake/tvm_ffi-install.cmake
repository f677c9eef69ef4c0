# SPDX-License-Identifier: Apache-2.0
# The installation by CMake: the package is the one that Meson installs, with the libraries that
# were built. The targets are in an export set, so that a project may export its own that link them;
# without TVM_FFI_INSTALL, `cmake --install FOLDER --component tvm_ffi` alone installs them.
set(_tvm_ffi_rule COMPONENT tvm_ffi)
if(NOT TVM_FFI_INSTALL)
  list(APPEND _tvm_ffi_rule EXCLUDE_FROM_ALL)
endif()

# In the libraries' folder, except for the one with the same name.
set(_tvm_ffi_folder_header .)
set(_tvm_ffi_folder_shared "${CMAKE_INSTALL_LIBDIR}")
set(_tvm_ffi_folder_static "${CMAKE_INSTALL_LIBDIR}")
set(_tvm_ffi_folder_helper "${CMAKE_INSTALL_LIBDIR}")
set(_tvm_ffi_folder_cxx "${CMAKE_INSTALL_LIBDIR}/tvm_ffi_cxx")
foreach(_tvm_ffi_name header shared static helper cxx)
  if(TARGET tvm_ffi_${_tvm_ffi_name})
    set_target_properties(tvm_ffi_${_tvm_ffi_name} PROPERTIES EXPORT_NAME ${_tvm_ffi_name})
    # One that nothing links was not built.
    install(TARGETS tvm_ffi_${_tvm_ffi_name} EXPORT tvm_ffi
      LIBRARY DESTINATION "${_tvm_ffi_folder_${_tvm_ffi_name}}" ${_tvm_ffi_rule} OPTIONAL
      ARCHIVE DESTINATION "${_tvm_ffi_folder_${_tvm_ffi_name}}" ${_tvm_ffi_rule} OPTIONAL)
  endif()
endforeach()

# CMake takes the names by which other export sets refer to the targets from this. Its file is not
# installed: the package makes the targets, only those that are there.
set(_tvm_ffi_cmakedir "${CMAKE_INSTALL_LIBDIR}/cmake/tvm_ffi")
install(EXPORT tvm_ffi NAMESPACE tvm_ffi:: DESTINATION "${_tvm_ffi_cmakedir}"
  CONFIGURATIONS tvm_ffi_never)
export(EXPORT tvm_ffi NAMESPACE tvm_ffi:: FILE "${CMAKE_CURRENT_BINARY_DIR}/tvm_ffi-targets.cmake")

install(DIRECTORY cpp/ include/ subprojects/dlpack/include/
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" ${_tvm_ffi_rule} FILES_MATCHING PATTERN "*.h")
install(FILES c/exports.dynlist DESTINATION "${CMAKE_INSTALL_LIBDIR}/tvm_ffi" ${_tvm_ffi_rule})

# The values of cmake/meson.build.
function(_tvm_ffi_write_package)
  set(version "${PROJECT_VERSION}")
  set(pointer_size "${CMAKE_SIZEOF_VOID_P}")
  set(prefix "${CMAKE_INSTALL_PREFIX}")
  if(NOT IS_ABSOLUTE "${_tvm_ffi_cmakedir}")
    file(RELATIVE_PATH up "/${_tvm_ffi_cmakedir}" "/")
    set(prefix "\${CMAKE_CURRENT_LIST_DIR}/${up}")
  endif()
  foreach(name includedir libdir)
    string(TOUPPER "CMAKE_INSTALL_${name}" folder)
    set(${name} "${${folder}}")
    if(NOT IS_ABSOLUTE "${${name}}")
      set(${name} "\${_tvm_ffi_prefix}/${${folder}}")
    endif()
  endforeach()
  set(built "shared static cxx")
  set(threads Threads::Threads)
  if(NOT TVM_FFI_atomic_64)
    set(atomic ";atomic")
  endif()
  set(shared_dir "\${_tvm_ffi_libdir}")
  set(shared_name libtvm_ffi.so)
  set(static_name libtvm_ffi.a)
  set(static_export "LINKER:--dynamic-list=\${_tvm_ffi_libdir}/tvm_ffi/exports.dynlist")
  foreach(file tvm_ffi-config.cmake tvm_ffi-config-version.cmake)
    configure_file("cmake/${file}.in" "${CMAKE_CURRENT_BINARY_DIR}/package/${file}" @ONLY)
  endforeach()
endfunction()
_tvm_ffi_write_package()
install(FILES cmake/tvm_ffi-functions.cmake
  "${CMAKE_CURRENT_BINARY_DIR}/package/tvm_ffi-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/package/tvm_ffi-config-version.cmake"
  DESTINATION "${_tvm_ffi_cmakedir}" ${_tvm_ffi_rule})
