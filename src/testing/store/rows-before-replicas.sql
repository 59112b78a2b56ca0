-- Rows as both stores kept them before the migration to replicas. The quoted words inside "text" are what a person wrote.
INSERT INTO agents (agent, actor_id, actor, created_at) VALUES (1, 'ada', '{}', 5);
INSERT INTO blocks (id, document_id, role, kind, status, version, metadata, collapsed, excluded, created_at, updated_at)
  VALUES ('b', 'b', 'user', 'text', 'done', 1, '{}', 0, 0, 1, 1);
INSERT INTO changes (block_place, version, actor, at, body)
  VALUES (1, 1, '{}', 1, '{"spans":[{"agent":1,"text":"a word, \"agent\":1"}]}');
INSERT INTO suggestions (id, canvas_id, version, is_open, created_at, touched_at, record)
  VALUES ('s', 'b', 1, 1, 1, 1, '{"spans":[{"agent":1,"text":"a word, \"agent\":1"}]}');
INSERT INTO log_starts (block_place, version, state)
  VALUES (1, 1, '{"standing":[],"spans":[{"agent":1,"text":"\"agent\":1"}]}');
INSERT INTO meta (key, value) VALUES
  ('agent-of-client/page', '{"agent":1}'), ('hand-of-agent/1', '{"agent":2}'), ('owner-of-agent/2', '{"agent":1}');
