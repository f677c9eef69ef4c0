-- SPDX-License-Identifier: Apache-2.0
-- psql -v library=/path/of/kernel.so -v module=/path/of/tvmffi < main.sql
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET tvmffi.library = :'library';

-- The name is that of a kernel. The first one writes its result into an array of that type.
CREATE FUNCTION scale(real[], double precision) RETURNS real[]
  AS :'module', 'tvmffi_call' LANGUAGE C STRICT STABLE;
CREATE FUNCTION mean(real[]) RETURNS double precision
  AS :'module', 'tvmffi_call' LANGUAGE C STRICT STABLE;
CREATE FUNCTION work(double precision) RETURNS double precision
  AS :'module', 'tvmffi_call' LANGUAGE C STRICT;
CREATE FUNCTION careless(double precision) RETURNS double precision
  AS :'module', 'tvmffi_call' LANGUAGE C STRICT;
CREATE FUNCTION rotate(real[]) RETURNS real[]
  AS :'module', 'tvmffi_call' LANGUAGE C STRICT;
CREATE FUNCTION mean(real[], bigint) RETURNS double precision
  AS :'module', 'tvmffi_call' LANGUAGE C; -- not STRICT
CREATE FUNCTION mean(text) RETURNS text
  AS :'module', 'tvmffi_call' LANGUAGE C STRICT;

SELECT pg_backend_pid() AS backend \gset
SELECT scale('{1, 2, 3}', 2.5);
SELECT scale('{{1, 2}, {3, 4}}', -1), scale('{}', 2), scale(NULL, 2);
CREATE TABLE signals AS SELECT i, array_fill(i::real, ARRAY[i]) AS samples
  FROM generate_series(1, 3) AS i;
SELECT i, scale(samples, 10), mean(samples) FROM signals ORDER BY i;
UPDATE signals SET samples = scale(samples, 0.5);
SELECT samples FROM signals ORDER BY i;

-- Errors of kernels, by their SQLSTATE. They end the statement, or are caught.
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE statement;
    RETURN 'no error';
  EXCEPTION WHEN OTHERS OR query_canceled THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
  END $$;
SELECT outcome($$ SELECT mean('{}'::real[]) $$);
SELECT outcome($$ SELECT scale('{1, NULL}', 2) $$);
SELECT outcome($$ SELECT mean('{1}', NULL) $$);
SELECT outcome($$ SELECT rotate('{1}') $$);
SELECT outcome($$ SELECT mean('text'::text) $$);
SELECT left(outcome(
  $$ SET LOCAL tvmffi.library = './missing.so'; SELECT mean('{1}'::real[]) $$), 19);

-- A kernel that asks whether it should go on is ended by a timeout, as by pg_cancel_backend.
SELECT work(0.01);
SET statement_timeout = '200ms';
SELECT outcome($$ SELECT work(20) $$);
RESET statement_timeout;
SELECT scale('{1}', 3);

-- A kernel leaves the processor rounding upwards; what PostgreSQL computes is as before.
SELECT careless(1);
SELECT sum(x) / 3 FROM (VALUES (1.0::double precision)) AS t(x);

-- A kernel that crashes in a process of its own is an error, and the session goes on.
CREATE FUNCTION crash(double precision) RETURNS double precision
  AS :'module', 'tvmffi_call' LANGUAGE C STRICT;
\set isolated isolated: :library
SET tvmffi.library = :'isolated';
SELECT outcome($$ SELECT crash(1) $$) LIKE '38000 HelperCrashError: %crashed: SIGSEGV%';
SELECT scale('{1, 2, 3}', 2.5);
SET tvmffi.library = :'library';

-- A million calls need no memory, nor do errors.
CREATE FUNCTION kilobytes() RETURNS integer LANGUAGE sql AS
  $$ SELECT split_part(pg_read_file('/proc/self/statm'), ' ', 2)::integer * 4 $$;
SELECT count(scale('{1, 2, 3}', i)) FROM generate_series(1, 100000) AS i;
SELECT sum(length(outcome($$ SELECT mean('{}'::real[]) $$))) FROM generate_series(1, 20000);
SELECT kilobytes() AS before \gset
SELECT count(scale(array_fill(i::real, ARRAY[3]), i)) FROM generate_series(1, 1000000) AS i;
SELECT sum(length(outcome($$ SELECT mean('{}'::real[]) $$))) FROM generate_series(1, 20000);
SELECT 'grown', kilobytes() - :before > 2048;

-- The backend is the one that it was.
SELECT 'alive', pg_backend_pid() = :backend;
