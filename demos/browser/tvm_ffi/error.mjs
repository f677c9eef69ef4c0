// SPDX-License-Identifier: Apache-2.0
// Errors as exceptions, and the stack of WebAssembly for their backtraces.

export class TVMFFIError extends Error {
  constructor(kind, message, backtrace = '', options = undefined) {
    super(message, options);
    this.name = this.kind = kind;
    this.backtrace = backtrace;
  }

  get traceback() {
    const frames =
        this.backtrace.replaceAll(', line 0, ', ', ').split('\n').filter(Boolean).reverse();
    const head = frames.length ? ['Traceback (most recent call last):', ...frames] : [];
    return [...head, `${this.kind}: ${this.message}`].join('\n');
  }
}

// Engines write a frame of WebAssembly in two ways: `at symbol (url:wasm-function[1]:0x2)` and
// `symbol@url:wasm-function[1]:0x2`.
const FRAME = /^\s*(?:at )?(.*?)(?: \(|@).*:wasm-function\[\d+\]:(0x[0-9a-f]+)/;
const MOST_FRAMES = 100;

// The frames of WebAssembly, innermost first: symbol and offset in the file.
export function readStack() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = MOST_FRAMES;
  const lines = new Error().stack.split('\n');
  Error.stackTraceLimit = limit;
  return lines.map((line) => line.match(FRAME)).filter(Boolean)
    .map(([, symbol, offset]) => ({symbol: symbol.replace(/^.*\.wasm\./, ''), offset}));
}
