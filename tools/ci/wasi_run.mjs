#!/usr/bin/env -S node --no-warnings --single-threaded
// SPDX-License-Identifier: Apache-2.0
// Runs a WebAssembly program for WASI: wasi_run.mjs PROGRAM ARGUMENT... It sees the environment,
// the current folder and the folders of the root, but not the root: wasi-libc would take it for the
// current folder. With threads of its own, V8 of Node 20 crashes now and then when a program that
// used much memory has ended.
import {readdirSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import process, {argv, cwd, env} from 'node:process';
import {WASI} from 'node:wasi';

const args = argv.slice(2);
const folders = readdirSync('/', {withFileTypes: true}).filter((entry) => entry.isDirectory());
const preopens = Object.fromEntries(folders.map(({name}) => [`/${name}`, `/${name}`]));
const wasi = new WASI(
    {version: 'preview1', args, env, preopens: {...preopens, '.': cwd()}, returnOnExit: true});
const module = await WebAssembly.compile(await readFile(args[0]));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
