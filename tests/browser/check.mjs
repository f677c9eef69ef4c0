// SPDX-License-Identifier: Apache-2.0
// Tests that print a line each: `ok NAME`, or `FAILED NAME: why`.
import process from 'node:process';

/**
 * Run a test; one that fails makes the process end with 1.
 * @param {string} name
 * @param {() => unknown} body
 */
export async function test(name, body) {
  try {
    await body();
    console.log(`ok ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAILED ${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
