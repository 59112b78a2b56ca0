INSERT INTO conversations (id, slug, title, system_prompt, model, cwd, created_at, updated_at)
  VALUES ('c', 's', '', '', 'm', '/', 1, 1), ('d', 't', '', '', 'm', '/', 2, 2);
INSERT INTO messages (id, conversation_id, sequence_id, parent_id, prefix_hash, message_hash, message_type, actor_kind,
    created_at, display_data, content)
  VALUES ('m1', 'c', 1, NULL, 'h1', 'h', 'user', 'human', 1, '{}', '{}'),
    ('m2', 'c', 2, 'm1', 'h2', 'h', 'agent', 'llm_agent', 1, '{}', '{}'),
    ('m3', 'c', 3, 'm2', 'h3', 'h', 'user', 'human', 1, '{}', '{}'),
    ('m4', 'c', 4, 'm1', 'h4', 'h', 'agent', 'llm_agent', 1, '{}', '{}'),
    ('m5', 'd', 1, NULL, 'h5', 'h', 'user', 'human', 1, '{}', '{}'),
    ('m6', 'c', 5, 'm4', 'h6', 'h', 'user', 'human', 1, '{}', '{}');
