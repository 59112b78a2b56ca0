import { expect, test } from "vitest";
import { activityWords, actorWords } from "./activity-words.ts";

type Entry = Parameters<typeof activityWords>[0];

const names = { ada: "Ada", bo: "Bo", weavers: "Weavers" };

function entry(given: Partial<Entry>): Entry {
  return {
    seq: 1,
    at: 0,
    actorId: "ada",
    actorName: "Ada",
    act: "workspace.people",
    topic: "people",
    outcome: "done",
    address: null,
    object: "workspace",
    objectName: null,
    objectType: null,
    opens: null,
    rows: [],
    ...given,
  };
}

test.each<[string, Partial<Entry>]>([
  ["made Bo commenter", { rows: [{ type: "share", subject: "person:bo", object: "workspace", role: "commenter" }] }],
  ["took the role of everyone", { rows: [{ type: "share", subject: "everyone", object: "workspace", role: null }] }],
  [
    "removed Bo",
    {
      rows: [
        { type: "person", id: "bo", name: "Bo", ended: true },
        { type: "share", subject: "person:bo", object: "workspace", role: null },
      ],
    },
  ],
  ["put Bo into Weavers", { rows: [{ type: "member", group: "weavers", person: "bo", ended: false }] }],
  ["locked the setting “Presets”", { rows: [{ type: "lock", setting: "presets", by: "ada" }] }],
  [
    "made a share link",
    {
      rows: [
        { type: "link", id: "link_1", ended: false },
        { type: "share", subject: "link:link_1", object: "workspace", role: "viewer" },
      ],
    },
  ],
  [
    "set the budget of Bo for a day",
    { rows: [{ type: "budget", subject: "person:bo", per: "day", tokens: 5, dollars: null }] },
  ],
  ["signed in", { act: "session.started" }],
  ["made a recovery link for Bo", { act: "recovery-link.made", object: "bo" }],
  ["asked for this and was refused: people, invitations, groups, roles", { outcome: "refused" }],
])("A-40 an entry of the activity is said in plain words: %s", (words, given) => {
  expect(activityWords(entry(given), names)).toBe(words);
});

test("A-40 who acted has a name also after their account ended, and nobody is You", () => {
  expect(actorWords(entry({}), names)).toBe("Ada");
  expect(actorWords(entry({ actorId: "bo", actorName: null }), names)).toBe("Bo");
  expect(actorWords(entry({ actorId: "command-line", actorName: null }), names)).toBe("The command line");
  expect(actorWords(entry({ actorId: "unknown", actorName: null }), names)).toBe("Somebody who was not signed in");
});
