# SPDX-License-Identifier: Apache-2.0
# The functions that CMake projects written for the reference call.

# tvm_ffi_configure_target(<target>
#                          [LINK_HEADER ON|OFF] [LINK_SHARED ON|OFF]
#                          [STUB_DIR <folder>
#                            [STUB_INIT ON|OFF [STUB_PKG <name>] [STUB_PREFIX <prefix>]]]
#                          [DEBUG_SYMBOL ON|OFF] [MSVC_FLAGS ON|OFF])
#
# Links a library or program with tvm_ffi::header and tvm_ffi::shared, unless switched off. With
# STUB_DIR, each build runs tvm-ffi-stubgen of the Python package to update the Python files in that
# folder from what the library registers; with STUB_INIT, to create them: STUB_PKG defaults to
# SKBUILD_PROJECT_NAME or the target's name, STUB_PREFIX to that name and a dot. The last two
# options are for other systems' linkers.
function(tvm_ffi_configure_target target)
  set(switches LINK_HEADER LINK_SHARED STUB_INIT DEBUG_SYMBOL MSVC_FLAGS)
  _tvm_ffi_parse(arg "${switches};STUB_DIR;STUB_PKG;STUB_PREFIX" tvm_ffi_configure_target
    "${target}" ${ARGN})
  if(arg_STUB_INIT AND NOT arg_STUB_DIR)
    message(FATAL_ERROR "tvm_ffi_configure_target(${target}): STUB_INIT needs STUB_DIR")
  endif()
  if((DEFINED arg_STUB_PKG OR DEFINED arg_STUB_PREFIX) AND NOT arg_STUB_INIT)
    message(FATAL_ERROR
      "tvm_ffi_configure_target(${target}): STUB_PKG and STUB_PREFIX need STUB_INIT ON")
  endif()

  foreach(part header shared)
    string(TOUPPER "LINK_${part}" switch)
    if(DEFINED arg_${switch} AND NOT arg_${switch})
      continue()
    endif()
    if(NOT TARGET tvm_ffi::${part})
      message(FATAL_ERROR
        "tvm_ffi_configure_target(${target}): this package has no tvm_ffi::${part}; "
        "say ${switch} OFF")
    endif()
    target_link_libraries(${target} PRIVATE tvm_ffi::${part})
  endforeach()

  if(arg_STUB_DIR)
    find_program(TVM_FFI_STUBGEN tvm-ffi-stubgen
      DOC "generator of Python stubs, of the package apache-tvm-ffi")
    if(NOT TVM_FFI_STUBGEN)
      message(FATAL_ERROR
        "tvm_ffi_configure_target(${target}): STUB_DIR needs tvm-ffi-stubgen of the Python "
        "package apache-tvm-ffi in the path, or in TVM_FFI_STUBGEN")
    endif()
    get_filename_component(folder "${arg_STUB_DIR}" ABSOLUTE)
    set(command "${TVM_FFI_STUBGEN}" "${folder}" --dlls "$<TARGET_FILE:${target}>")
    if(arg_STUB_INIT)
      if(NOT arg_STUB_PKG)
        set(arg_STUB_PKG "${SKBUILD_PROJECT_NAME}")
      endif()
      if(NOT arg_STUB_PKG)
        set(arg_STUB_PKG "${target}")
      endif()
      if(NOT arg_STUB_PREFIX)
        set(arg_STUB_PREFIX "${arg_STUB_PKG}.")
      endif()
      list(APPEND command --init-lib ${target} --init-pypkg "${arg_STUB_PKG}"
        --init-prefix "${arg_STUB_PREFIX}")
    endif()
    add_custom_command(TARGET ${target} POST_BUILD COMMAND ${command} VERBATIM
      COMMENT "Python stubs of ${target} in ${folder}")
  endif()
endfunction()

# tvm_ffi_install(<target> [DESTINATION <folder>])
#
# Installs the extra files of a target beside its library: none where libraries contain their own
# debug information, as ELF libraries do.
function(tvm_ffi_install target)
  _tvm_ffi_parse(arg DESTINATION tvm_ffi_install "${target}" ${ARGN})
endfunction()

# tvm_ffi_embed_bin_into(<target> SYMBOL <name> BIN <file>)
#
# Embeds the bytes of a file in a library or program, where TVM_FFI_EMBED_CUBIN(<name>) finds them.
# The file may be an output of this build, including $<TARGET_OBJECTS:...>.
function(tvm_ffi_embed_bin_into target)
  _tvm_ffi_parse(arg "SYMBOL;BIN" tvm_ffi_embed_bin_into "${target}" ${ARGN})
  foreach(argument SYMBOL BIN)
    if(NOT arg_${argument})
      message(FATAL_ERROR "tvm_ffi_embed_bin_into(${target}): ${argument} is missing")
    endif()
  endforeach()
  if(NOT arg_SYMBOL MATCHES "^[A-Za-z0-9_]+$")
    message(FATAL_ERROR
      "tvm_ffi_embed_bin_into(${target}): SYMBOL is part of a C name, not `${arg_SYMBOL}`")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set(suffix c)
  elseif("CXX" IN_LIST languages)
    set(suffix cc)
  else()
    message(FATAL_ERROR "tvm_ffi_embed_bin_into(${target}): the project has neither C nor CXX")
  endif()
  if(NOT arg_BIN MATCHES "^\\$<")
    get_filename_component(arg_BIN "${arg_BIN}" ABSOLUTE)
  endif()

  # The generated source depends on the file, so that it is compiled again when the file changes.
  set(base "${CMAKE_CURRENT_BINARY_DIR}/tvm_ffi_embed/${target}/${arg_SYMBOL}")
  set(symbol __tvm_ffi__cubin_${arg_SYMBOL})
  file(CONFIGURE OUTPUT "${base}.in" CONTENT [[
extern const char @symbol@[];
__asm__(".pushsection .rodata\n.balign 64\n"
        ".globl @symbol@, @symbol@_end\n.hidden @symbol@, @symbol@_end\n"
        "@symbol@:\n.incbin \"@base@.bin\"\n@symbol@_end:\n.byte 0\n.popsection\n");
]] @ONLY)
  add_custom_command(OUTPUT "${base}.${suffix}" BYPRODUCTS "${base}.bin"
    DEPENDS "${arg_BIN}" "${base}.in"
    COMMAND ${CMAKE_COMMAND} -E copy "${arg_BIN}" "${base}.bin"
    COMMAND ${CMAKE_COMMAND} -E copy "${base}.in" "${base}.${suffix}" VERBATIM)
  target_sources(${target} PRIVATE "${base}.${suffix}")
endfunction()

# add_tvm_ffi_cubin(<target> CUDA <source>), add_tvm_ffi_fatbin(<target> CUDA <source>)
#
# An object library whose only object file is nvcc's output for a source: code for the one GPU that
# the property CUDA_ARCHITECTURES names (cubin), or for all of them (fatbin). Pass it to
# tvm_ffi_embed_bin_into.
function(add_tvm_ffi_cubin target)
  _tvm_ffi_add_image(${target} cubin ${ARGN})
endfunction()

function(add_tvm_ffi_fatbin target)
  _tvm_ffi_add_image(${target} fatbin ${ARGN})
endfunction()

function(_tvm_ffi_add_image target kind)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CUDA" "")
  if(NOT arg_CUDA OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "add_tvm_ffi_${kind}(${target}): expected CUDA and one source, got `${ARGN}`")
  endif()
  add_library(${target} OBJECT "${arg_CUDA}")
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--${kind}>")
endfunction()

# Reads KEYWORD value pairs into <prefix>_KEYWORD; fails for a name that is not a target or a
# keyword.
macro(_tvm_ffi_parse prefix keywords function target)
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "${function}: `${target}` is not a target")
  endif()
  cmake_parse_arguments(${prefix} "" "${keywords}" "" ${ARGN})
  if(${prefix}_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "${function}(${target}): unknown argument `${${prefix}_UNPARSED_ARGUMENTS}`; "
      "it knows ${keywords}")
  endif()
  if(${prefix}_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${function}(${target}): ${${prefix}_KEYWORDS_MISSING_VALUES} has no value")
  endif()
endmacro()
