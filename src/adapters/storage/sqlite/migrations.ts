/** One step from a schema to the next. Published steps never change. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Every step, oldest first. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "the first schema",
    sql: `
CREATE TABLE conversations (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  system_prompt TEXT NOT NULL,
  model TEXT NOT NULL,
  canvas_id TEXT,
  cwd TEXT NOT NULL,
  config_hash TEXT UNIQUE,
  tool_syntax TEXT,
  parent_conversation_id TEXT REFERENCES conversations (id),
  parent_run_id TEXT,
  approvals TEXT,
  call_policy TEXT,
  budget TEXT,
  deleted_usage TEXT,
  user_initiated INTEGER NOT NULL DEFAULT 1 CHECK (user_initiated IN (0, 1)),
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_by_parent ON conversations (parent_conversation_id)
  WHERE parent_conversation_id IS NOT NULL;

CREATE TABLE deleted_conversations (
  id TEXT NOT NULL PRIMARY KEY,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation_id TEXT NOT NULL REFERENCES conversations (id),
  sequence_id INTEGER NOT NULL,
  parent_id TEXT REFERENCES messages (id) CHECK (parent_id <> id),
  prefix_hash TEXT NOT NULL,
  message_hash TEXT NOT NULL,
  message_type TEXT NOT NULL CHECK (message_type IN ('user', 'agent', 'tool', 'system', 'error')),
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('human', 'llm_agent', 'system')),
  run_id TEXT,
  turn_id TEXT,
  created_at INTEGER NOT NULL,
  display_data TEXT NOT NULL,
  usage_data TEXT,
  details TEXT,
  content TEXT NOT NULL
) STRICT;
CREATE INDEX messages_in_order
  ON messages (conversation_id, sequence_id, id, parent_id, message_type, created_at);
CREATE INDEX messages_by_parent ON messages (parent_id, conversation_id, sequence_id);
CREATE INDEX messages_by_prefix ON messages (conversation_id, prefix_hash, sequence_id);
CREATE VIRTUAL TABLE message_index USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2");

CREATE TABLE deleted_messages (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id),
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_messages_by_conversation ON deleted_messages (conversation_id);

CREATE TABLE bookmarks (
  title TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id),
  message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX bookmarks_by_conversation ON bookmarks (conversation_id, title);
CREATE INDEX bookmarks_by_message ON bookmarks (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE runs (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation_id TEXT NOT NULL REFERENCES conversations (id),
  head_message_id TEXT,
  state TEXT NOT NULL DEFAULT 'idle',
  state_data TEXT NOT NULL,
  state_updated_at INTEGER NOT NULL,
  event_seq INTEGER NOT NULL CHECK (event_seq >= 0),
  turn_id TEXT,
  model TEXT NOT NULL,
  queued TEXT,
  context_used REAL,
  sub_agent TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_conversation ON runs (conversation_id, place);
CREATE INDEX runs_unsettled ON runs (place)
  WHERE state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed');

CREATE VIEW conversation_states AS
  SELECT c.id, c.slug, c.cwd, c.parent_conversation_id, c.user_initiated, coalesce(r.state, 'idle') AS state,
    r.state_data, coalesce(r.state_updated_at, c.created_at) AS state_updated_at, c.created_at, c.updated_at, c.archived
  FROM conversations AS c LEFT JOIN runs AS r ON r.place = (
    SELECT place FROM runs WHERE conversation_id = c.id ORDER BY state_updated_at DESC, place DESC LIMIT 1);

CREATE TABLE effects (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL REFERENCES runs (id),
  effect TEXT NOT NULL,
  started_at INTEGER,
  due_at INTEGER
) STRICT;
CREATE INDEX effects_by_run ON effects (run_id, place);

CREATE TABLE run_events (
  run_id TEXT NOT NULL REFERENCES runs (id),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  state TEXT NOT NULL,
  state_hash TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE feed (
  conversation_id TEXT NOT NULL REFERENCES conversations (id),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (conversation_id, seq)
) STRICT;

CREATE TABLE blocks (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  document_id TEXT NOT NULL,
  parent_id TEXT,
  role TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  metadata TEXT NOT NULL,
  collapsed INTEGER NOT NULL CHECK (collapsed IN (0, 1)),
  excluded INTEGER NOT NULL CHECK (excluded IN (0, 1)),
  policy TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX blocks_by_document ON blocks (document_id, place);
CREATE INDEX blocks_of_files ON blocks (place) WHERE kind = 'file';

CREATE TABLE changes (
  place INTEGER PRIMARY KEY,
  block_place INTEGER NOT NULL REFERENCES blocks (place),
  version INTEGER NOT NULL CHECK (version >= 1),
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  request_id TEXT,
  turn_id TEXT,
  body TEXT NOT NULL,
  bytes BLOB,
  UNIQUE (block_place, version)
) STRICT;
CREATE UNIQUE INDEX changes_by_request ON changes (block_place, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX changes_by_turn ON changes (turn_id, place) WHERE turn_id IS NOT NULL;

CREATE TABLE snapshots (
  block_id TEXT NOT NULL PRIMARY KEY REFERENCES blocks (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE revisions (
  canvas_id TEXT NOT NULL REFERENCES blocks (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  revision_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  actor TEXT NOT NULL,
  also_by TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (canvas_id, version)
) STRICT;

CREATE TABLE suggestions (
  id TEXT NOT NULL PRIMARY KEY,
  canvas_id TEXT NOT NULL REFERENCES blocks (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
  created_at INTEGER NOT NULL,
  touched_at INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX suggestions_by_canvas ON suggestions (canvas_id, created_at, id);
CREATE INDEX suggestions_open ON suggestions (canvas_id, created_at, id) WHERE is_open = 1;

CREATE TABLE log_starts (
  block_place INTEGER PRIMARY KEY REFERENCES blocks (place),
  version INTEGER NOT NULL CHECK (version >= 1),
  state TEXT NOT NULL
) STRICT;

CREATE TABLE trimmed_turns (
  turn_id TEXT NOT NULL,
  block_place INTEGER NOT NULL REFERENCES blocks (place),
  PRIMARY KEY (turn_id, block_place)
) STRICT, WITHOUT ROWID;
CREATE INDEX trimmed_turns_by_block ON trimmed_turns (block_place);

CREATE TABLE block_words (
  block_id TEXT NOT NULL PRIMARY KEY REFERENCES blocks (id),
  version INTEGER NOT NULL,
  words TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE block_index USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2");

CREATE TABLE agents (
  agent INTEGER PRIMARY KEY CHECK (agent BETWEEN 1 AND 2147483647),
  actor_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE leases (
  canvas_id TEXT NOT NULL PRIMARY KEY,
  epoch INTEGER NOT NULL CHECK (epoch >= 0),
  lease_id TEXT,
  holder TEXT,
  holder_name TEXT,
  expires_at_monotonic_ms REAL,
  expires_at REAL,
  revision_id_at_checkout TEXT,
  last_revision_id TEXT,
  CHECK ((lease_id IS NULL) = (holder IS NULL) AND (lease_id IS NULL) = (expires_at_monotonic_ms IS NULL))
) STRICT;
CREATE TRIGGER leases_keep_their_epoch BEFORE UPDATE OF epoch ON leases WHEN NEW.epoch < OLD.epoch
BEGIN SELECT raise(ABORT, 'an epoch never falls'); END;
CREATE TRIGGER leases_are_kept BEFORE DELETE ON leases
BEGIN SELECT raise(ABORT, 'a lease row is never deleted'); END;
`,
  },
  {
    version: 2,
    name: "the newest changes wait in a table without an index",
    sql: `
CREATE TABLE new_changes (
  place INTEGER PRIMARY KEY,
  block_place INTEGER NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  request_id TEXT,
  turn_id TEXT,
  body TEXT NOT NULL,
  bytes BLOB
) STRICT;
`,
  },
  {
    version: 3,
    name: "requests and approval rules have tables of their own, and a run has its turn's settings",
    // Records under `request/` and `made-by-request/` named neither client nor request, so no repeat can match them.
    sql: `
CREATE TABLE requests (
  client_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  params_hash TEXT NOT NULL,
  answer TEXT NOT NULL,
  conversation_id TEXT REFERENCES conversations (id),
  at INTEGER NOT NULL,
  PRIMARY KEY (client_id, request_id)
) STRICT;
CREATE INDEX requests_by_conversation ON requests (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX requests_by_time ON requests (at);

CREATE TABLE approval_rules (
  id TEXT NOT NULL PRIMARY KEY,
  conversation_id TEXT REFERENCES conversations (id),
  created_at INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX approval_rules_by_conversation ON approval_rules (conversation_id, created_at, id);
INSERT OR IGNORE INTO approval_rules (id, conversation_id, created_at, record)
  SELECT rule.value ->> 'id', nullif(lists.root, 'always'), rule.value ->> 'createdAt', rule.value
  FROM (SELECT substr(key, length('approval-rules/') + 1) AS root, value FROM meta
      WHERE key >= 'approval-rules/' AND key < 'approval-rules0' AND json_valid(value)) AS lists,
    json_each(lists.value, '$.rules') AS rule
  WHERE rule.type = 'object' AND typeof(rule.value ->> 'id') = 'text' AND typeof(rule.value ->> 'createdAt') = 'integer'
    AND (lists.root = 'always' OR lists.root IN (SELECT id FROM conversations));

ALTER TABLE runs ADD COLUMN settings TEXT;
UPDATE runs SET settings = (SELECT value FROM meta WHERE key = 'turn-settings/' || runs.turn_id)
  WHERE turn_id IS NOT NULL;

DELETE FROM meta WHERE key >= 'approval-rules/' AND key < 'approval-rules0'
  OR key >= 'turn-settings/' AND key < 'turn-settings0'
  OR key >= 'request/' AND key < 'request0'
  OR key >= 'made-by-request/' AND key < 'made-by-request0';
`,
  },
  {
    version: 4,
    name: "the number of an editing replica is called replica, not agent",
    // Inside a JSON string a quotation mark is escaped, so the search finds keys only.
    sql: `
ALTER TABLE agents RENAME TO replicas;
ALTER TABLE replicas RENAME COLUMN agent TO replica;
UPDATE changes SET body = replace(body, '"agent":', '"replica":') WHERE instr(body, '"agent":') > 0;
UPDATE new_changes SET body = replace(body, '"agent":', '"replica":') WHERE instr(body, '"agent":') > 0;
UPDATE suggestions SET record = replace(record, '"agent":', '"replica":') WHERE instr(record, '"agent":') > 0;
UPDATE log_starts SET state = replace(replace(state, '"agent":', '"replica":'), '"standing":', '"applied":');
UPDATE meta SET key = 'replica-of-client/' || substr(key, length('agent-of-client/') + 1),
    value = replace(value, '"agent":', '"replica":')
  WHERE key >= 'agent-of-client/' AND key < 'agent-of-client0';
UPDATE meta SET key = 'server-replica-of/' || substr(key, length('hand-of-agent/') + 1),
    value = replace(value, '"agent":', '"replica":')
  WHERE key >= 'hand-of-agent/' AND key < 'hand-of-agent0';
UPDATE meta SET key = 'page-replica-of/' || substr(key, length('owner-of-agent/') + 1),
    value = replace(value, '"agent":', '"replica":')
  WHERE key >= 'owner-of-agent/' AND key < 'owner-of-agent0';
`,
  },
  {
    version: 5,
    name: "what was deleted waits in the trash",
    sql: `
CREATE TABLE trash (
  id TEXT NOT NULL PRIMARY KEY,
  object_id TEXT NOT NULL UNIQUE,
  purge_at INTEGER,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX trash_by_purge ON trash (purge_at, id) WHERE purge_at IS NOT NULL;
`,
  },
  {
    version: 6,
    name: "messages that wait for a run are rows",
    // A stored message ends with a brace, behind which the new fields go. Its id is only ever compared.
    sql: `
CREATE TABLE waiting_messages (
  id TEXT NOT NULL PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  place INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX waiting_messages_by_run ON waiting_messages (run_id, place, id);
INSERT INTO waiting_messages (id, run_id, place, record)
  SELECT 'node_' || id, id, 1, substr(queued, 1, length(queued) - 1) ||
    ',"version":1,"state":"waiting","deliver":"queue","at":' || updated_at || '}'
  FROM runs WHERE queued IS NOT NULL;
ALTER TABLE runs DROP COLUMN queued;
`,
  },
  {
    version: 7,
    name: "conversations have their folder",
    // Which folder earlier conversations belong to is known when the server starts with one.
    sql: `
CREATE TABLE folders (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  rights TEXT NOT NULL,
  branch TEXT,
  trusted INTEGER,
  created_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;
ALTER TABLE conversations ADD COLUMN folder_id TEXT;
`,
  },
  {
    version: 8,
    name: "a conversation says how models are asked",
    sql: "ALTER TABLE conversations ADD COLUMN replies TEXT;",
  },
  {
    version: 9,
    name: "deleted conversations and messages wait in the trash",
    sql: `
ALTER TABLE trash ADD COLUMN conversation_id TEXT;
CREATE INDEX trash_by_conversation ON trash (conversation_id) WHERE conversation_id IS NOT NULL;
ALTER TABLE conversations ADD COLUMN trashed_at INTEGER;
CREATE INDEX conversations_in_trash ON conversations (id) WHERE trashed_at IS NOT NULL;
CREATE TABLE trashed_messages (
  place INTEGER PRIMARY KEY,
  trash_id TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  conversation_id TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX trashed_messages_by_entry ON trashed_messages (trash_id, place);
CREATE INDEX trashed_messages_by_conversation ON trashed_messages (conversation_id);
`,
  },
  {
    version: 10,
    name: "a conversation says when its branches are summed up",
    sql: `
ALTER TABLE conversations ADD COLUMN compaction TEXT;
`,
  },
  {
    version: 11,
    name: "conversations are pinned and have tags",
    sql: `
ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
ALTER TABLE conversations ADD COLUMN tags TEXT;
`,
  },
  {
    version: 12,
    name: "documents have threads of comments",
    sql: `
CREATE TABLE threads (
  id TEXT NOT NULL PRIMARY KEY,
  block_id TEXT NOT NULL REFERENCES blocks (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  created_at INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX threads_by_block ON threads (block_id, created_at, id);
CREATE TABLE thread_turns (
  turn_id TEXT NOT NULL,
  thread_id TEXT NOT NULL REFERENCES threads (id),
  PRIMARY KEY (turn_id, thread_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_turns_by_thread ON thread_turns (thread_id);
`,
  },
  {
    version: 13,
    name: "revisions are stored as changes of the one before",
    sql: `
ALTER TABLE revisions ADD COLUMN changes_version INTEGER CHECK (changes_version < version);
`,
  },
  {
    version: 14,
    name: "a workspace keeps who may do what, and an audit log",
    sql: `
CREATE TABLE rights (
  key TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  record TEXT NOT NULL
) STRICT;
CREATE INDEX rights_by_seq ON rights (seq, key);
CREATE TABLE audit (
  seq INTEGER NOT NULL PRIMARY KEY CHECK (seq >= 1),
  at INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
`,
  },
  {
    version: 15,
    name: "a message knows how many are above it",
    sql: `
ALTER TABLE messages ADD COLUMN depth INTEGER NOT NULL DEFAULT 0 CHECK (depth >= 0);
WITH RECURSIVE down (place, id, depth) AS (
  SELECT place, id, 0 FROM messages WHERE parent_id IS NULL
  UNION ALL
  SELECT m.place, m.id, down.depth + 1 FROM down CROSS JOIN messages AS m ON m.parent_id = down.id)
UPDATE messages SET depth = down.depth FROM down WHERE messages.place = down.place AND down.depth > 0;
`,
  },
  {
    version: 16,
    name: "a team keeps how its people sign in",
    sql: `
CREATE TABLE sign_in (
  key TEXT NOT NULL PRIMARY KEY,
  record TEXT NOT NULL
) STRICT;
`,
  },
  {
    version: 17,
    name: "turns of trimmed changes are kept for files alone, and the newest entries of each feed",
    sql: `
DELETE FROM trimmed_turns WHERE block_place IN (SELECT place FROM blocks WHERE kind <> 'file');
DELETE FROM feed WHERE seq <= (SELECT max(seq) - 128 FROM feed AS newest WHERE newest.conversation_id = feed.conversation_id);
`,
  },
  {
    version: 18,
    name: "an entry of a feed has its message in the messages alone",
    sql: `
DELETE FROM feed WHERE seq < (SELECT max(seq) FROM feed AS newest WHERE newest.conversation_id = feed.conversation_id);
`,
  },
  {
    version: 19,
    name: "a long snapshot is stored in pieces",
    sql: `
ALTER TABLE snapshots ADD COLUMN snapshot_id TEXT;
ALTER TABLE snapshots ADD COLUMN pieces INTEGER NOT NULL DEFAULT 0 CHECK (pieces >= 0);
CREATE TABLE snapshot_pieces (
  block_id TEXT NOT NULL,
  snapshot_id TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 0),
  bytes BLOB NOT NULL,
  PRIMARY KEY (block_id, snapshot_id, n)
) STRICT;
`,
  },
  {
    version: 20,
    name: "texts of drafts are kept with messages",
    sql: `
CREATE TABLE draft_revisions (
  canvas_id TEXT NOT NULL REFERENCES blocks (id),
  draft_id TEXT NOT NULL,
  draft_version INTEGER NOT NULL CHECK (draft_version >= 1),
  version INTEGER NOT NULL CHECK (version >= 1),
  revision_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  actor TEXT NOT NULL,
  also_by TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  changes_version INTEGER CHECK (changes_version < draft_version),
  PRIMARY KEY (canvas_id, draft_id, draft_version)
) STRICT;
CREATE INDEX draft_revisions_by_id ON draft_revisions (canvas_id, revision_id);
`,
  },
  {
    version: 21,
    name: "suggestions are found by their draft",
    sql: `
ALTER TABLE suggestions ADD COLUMN draft_id TEXT;
UPDATE suggestions SET draft_id = json_extract(record, '$.draftId');
CREATE INDEX suggestions_by_draft ON suggestions (draft_id, created_at, id) WHERE draft_id IS NOT NULL;
`,
  },
];
