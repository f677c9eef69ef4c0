// SPDX-License-Identifier: Apache-2.0
// Stands in for the types of Node, so that tsc can check these tests without a package.
declare module 'node:*';
declare var gc: () => void;
