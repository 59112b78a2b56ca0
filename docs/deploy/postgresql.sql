-- Run once, as an administrator: a role without rights over others, and a database of its own.
CREATE ROLE heddle LOGIN PASSWORD 'change me';
CREATE DATABASE heddle OWNER heddle ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
REVOKE ALL ON DATABASE heddle FROM PUBLIC;

-- Heddle asks for these when it connects. They are said here too for the case that a pooler does not pass them on.
ALTER ROLE heddle SET synchronous_commit = 'on';
ALTER ROLE heddle SET statement_timeout = '30s';
ALTER ROLE heddle SET idle_in_transaction_session_timeout = '35s';
ALTER ROLE heddle SET jit = 'off';
