// SPDX-License-Identifier: Apache-2.0
// Compiling WebAssembly, and what the C library imports.
import {BYTES} from './abi.mjs';

export async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return WebAssembly.compile(source);
  if (source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
    return WebAssembly.compile(await source.arrayBuffer());
  }
  const url = new URL(source, globalThis.document?.baseURI ?? globalThis.location?.href);
  if (url.protocol !== 'file:') return compile(await fetch(url));
  const {readFile} = await import('node:fs/promises'); // fetch() of Node reads no files
  return WebAssembly.compile(await readFile(url));
}

// The name of the file that a source is from, for backtraces.
export function nameOf(source) {
  if (!(source instanceof Response || source instanceof URL || typeof source === 'string'))
    return 'wasm';
  return (source.url ?? String(source)).replace(/[?#].*$/, '').split('/').pop() || 'wasm';
}

const WASI = 'wasi_snapshot_preview1';
const SUCCESS = 0, NOT_SUPPORTED = 58;

// The imports of WASI. There are no files, no environment and no arguments; output goes to `print`.
export function makeWasi(module, core, print) {
  const decoders = new Map();
  const decoderOf = (file) => decoders.get(file) ?? decoders.set(file, new TextDecoder()).get(file);
  const known = {
    environ_get: () => SUCCESS,
    environ_sizes_get: (count, size) => {
      core.memory.view.setUint32(count, 0, true);
      core.memory.view.setUint32(size, 0, true);
      return SUCCESS;
    },
    fd_write: (file, parts, count, out) => {
      const written =
          Array.from({length: count}, (_, i) => core.memory.bytes(parts + BYTES.size * i));
      // A character may begin in one part and end in the next.
      print(written.map((bytes) => decoderOf(file).decode(bytes, {stream: true})).join(''), file);
      core.memory.view.setUint32(out, written.reduce((sum, bytes) => sum + bytes.length, 0), true);
      return SUCCESS;
    },
    proc_exit: (code) => {
      throw new Error(`the program has ended with ${code}`);
    },
  };
  const names = WebAssembly.Module.imports(module)
                    .filter((entry) => entry.module === WASI)
                    .map(({name}) => name);
  return {
    [WASI]: Object.fromEntries(names.map((name) => [name, known[name] ?? (() => NOT_SUPPORTED)]))
  };
}
