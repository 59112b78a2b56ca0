import { describe, expect, test } from "vitest";
import type { BlockId, NodeId, RootId } from "../../../src/core/base/ids.ts";
import { navigate, type Navigation, type NavigationAction, type Place, rootIdOf } from "./navigation.ts";
import { layoutDefault, type PaneName } from "./pane-layout.ts";

const [left, made, other] = ["left", "made", "other"] as RootId[] as [RootId, RootId, RootId];
const canvas = "canvas" as BlockId;
const question = "question" as NodeId;
const goal = { rootId: other, what: { type: "node", nodeId: question } } as const;
const asked = { node: { id: question } as never, question: "delete" } as const;

const places: { readonly [Type in Place["type"]]: Extract<Place, { readonly type: Type }> } = {
  open: { type: "open", rootId: left },
  creating: { type: "creating", request: 1, canvasId: canvas, leftId: left },
  created: { type: "created", rootId: made, canvasId: canvas },
};

const actions: {
  readonly [Type in NavigationAction["type"]]: Extract<NavigationAction, { readonly type: Type }>;
} = {
  "conversation-opened": { type: "conversation-opened", rootId: other },
  "conversation-wished": { type: "conversation-wished", request: 2, canvasId: null },
  "conversation-created": { type: "conversation-created", request: 1, rootId: made },
  "conversation-refused": { type: "conversation-refused", request: 1 },
  "conversation-listed": { type: "conversation-listed", rootId: made },
  "conversation-shown": { type: "conversation-shown", rootId: other },
  "canvas-opened": { type: "canvas-opened", canvasId: "canvas_2" as BlockId, rootId: other },
  "canvas-shown": { type: "canvas-shown", rootId: other, canvasId: null },
  "canvas-put-aside": { type: "canvas-put-aside" },
  "entry-returned": {
    type: "entry-returned",
    entry: { rootId: other, canvasId: "canvas_2" as BlockId, dialog: "none", front: null },
  },
  "file-opened": { type: "file-opened" },
  "document-closed": { type: "document-closed", rootId: other },
  "goal-set": { type: "goal-set", goal },
  "goal-reached": { type: "goal-reached" },
  "dialog-opened": { type: "dialog-opened", dialog: "help" },
  "dialog-closed": { type: "dialog-closed" },
  "edit-begun": { type: "edit-begun", nodeId: "another" as NodeId },
  "edit-ended": { type: "edit-ended", nodeId: question },
  "rename-changed": { type: "rename-changed", renaming: false },
  "question-changed": { type: "question-changed", asked: null },
  "pane-fronted": { type: "pane-fronted", pane: "forest" },
  "pane-shown": { type: "pane-shown", pane: "forest" },
  "pane-toggled": { type: "pane-toggled", pane: "canvas" },
  "pane-hidden": { type: "pane-hidden", pane: "canvas" },
  "layout-changed": { type: "layout-changed", layout: { ...layoutDefault, forest: 300 } },
};

/** Returns a state with every field set, so that tests also see what an action keeps. */
function at(place: Place, change: Partial<Navigation> = {}): Navigation {
  return {
    place,
    canvasId: canvas,
    shownIn: left,
    aside: false,
    closed: false,
    dialog: "settings",
    editingId: question,
    renaming: true,
    asked,
    goal,
    layout: { ...layoutDefault, hidden: ["forest"] },
    front: "canvas",
    ...change,
  };
}

function shown(place: Place): string {
  switch (place.type) {
    case "open":
      return `open ${place.rootId}`;
    case "creating":
      return `creating ${place.request} after ${place.leftId}`;
    case "created":
      return `created ${place.rootId}`;
  }
}

/** Lists the fields that an action changes; the layout is shown by its hidden panes. */
function changes(before: Navigation, after: Navigation): string {
  const words = (Object.keys(after) as (keyof Navigation)[]).flatMap((name) => {
    if (after[name] === before[name]) return [];
    switch (name) {
      case "place":
        return [shown(after.place)];
      case "layout":
        return [`hidden ${after.layout.hidden.join("+")} forest ${after.layout.forest}`];
      case "goal":
      case "asked":
        return [`${name} ${after[name] === null ? "none" : "set"}`];
      case "canvasId":
      case "shownIn":
      case "aside":
      case "closed":
      case "dialog":
      case "editingId":
      case "renaming":
      case "front":
        return [`${name} ${after[name]}`];
    }
  });
  return words.join(", ");
}

const openedAnew = ", editingId null, renaming false";
/** Actions with the same effect in every place. */
const anywhere = {
  "conversation-opened": `open other${openedAnew}`,
  "conversation-shown": "",
  "canvas-opened": "canvasId canvas_2, shownIn other",
  "canvas-shown": "shownIn other, aside true",
  "canvas-put-aside": "aside true",
  "entry-returned": `open other, canvasId canvas_2, shownIn other, dialog none${openedAnew}`,
  "file-opened": "",
  "document-closed": "canvasId null, shownIn other, closed true",
  "goal-set": "",
  "goal-reached": "goal none",
  "dialog-opened": "dialog help",
  "dialog-closed": "dialog none",
  "edit-begun": "editingId another",
  "edit-ended": "editingId null",
  "rename-changed": "renaming false",
  "question-changed": "asked none",
  "pane-fronted": "front forest",
  "pane-shown": "hidden  forest 264, front forest",
  "pane-toggled": "hidden forest+canvas forest 264",
  "pane-hidden": "hidden forest+canvas forest 264",
  "layout-changed": "hidden  forest 300",
} as const;

const table: Record<Place["type"], Record<NavigationAction["type"], string>> = {
  open: {
    ...anywhere,
    "conversation-wished": "creating 2 after left",
    "conversation-created": "",
    "conversation-refused": "",
    "conversation-listed": "",
  },
  creating: {
    ...anywhere,
    "conversation-wished": "creating 2 after left",
    "conversation-created": `created made${openedAnew}`,
    "conversation-refused": "open left",
    "conversation-listed": "",
  },
  created: {
    ...anywhere,
    "conversation-wished": "creating 2 after made",
    "conversation-created": "",
    "conversation-refused": "",
    "conversation-listed": "open made",
  },
};

describe.each(Object.entries(table))("on a wide page with a conversation %s", (place, row) => {
  test.each(Object.entries(row))("%s: %s", (type, expected) => {
    const before = at(places[place as Place["type"]]);
    expect(changes(before, navigate(before, actions[type as NavigationAction["type"]], "wide"))).toBe(expected);
  });
});

const fronts: Partial<Record<NavigationAction["type"], PaneName>> = {
  "conversation-opened": "conversation",
  "conversation-created": "conversation",
  "canvas-opened": "canvas",
  "file-opened": "canvas",
  "goal-set": "conversation",
  "pane-fronted": "forest",
  "pane-shown": "forest",
  "pane-toggled": "canvas",
};

test.each(Object.values(actions))(
  "on a narrow page $type brings its pane to the front, or leaves the one there",
  (action) => {
    const before = at(places.creating, { front: "forest", layout: { ...layoutDefault, hidden: ["canvas"] } });
    expect(navigate(before, action, "narrow").front).toBe(fronts[action.type] ?? "forest");
  },
);

test("navigate ignores the answer to an earlier request for a conversation", () => {
  const before = at({ ...places.creating, request: 2 });
  expect(navigate(before, actions["conversation-created"], "wide")).toBe(before);
  expect(navigate(before, actions["conversation-refused"], "wide")).toBe(before);
});

test("navigate keeps waiting when a conversation other than the created one arrives", () => {
  const before = at(places.created);
  expect(navigate(before, { type: "conversation-listed", rootId: other }, "wide")).toBe(before);
});

test("a page keeps the conversation that it showed first, whatever others change later", () => {
  const before = at({ type: "open", rootId: null });
  const after = navigate(before, { type: "conversation-shown", rootId: left }, "wide");
  expect(changes(before, after)).toBe("open left");
  expect(navigate(after, { type: "conversation-shown", rootId: other }, "wide")).toBe(after);
});

test("a page keeps the canvas that it showed first beside a conversation, whatever others choose for that later", () => {
  const [first, second] = ["canvas_1", "canvas_2"] as [BlockId, BlockId];
  const before = at(places.open, { canvasId: null, shownIn: null });
  const shownFirst = navigate(before, { type: "canvas-shown", rootId: left, canvasId: first }, "wide");
  expect(changes(before, shownFirst)).toBe("canvasId canvas_1, shownIn left");
  expect(navigate(shownFirst, { type: "canvas-shown", rootId: left, canvasId: second }, "wide")).toBe(shownFirst);
  // Another conversation comes with its own.
  const next = navigate(shownFirst, { type: "canvas-shown", rootId: other, canvasId: second }, "wide");
  expect(changes(shownFirst, next)).toBe("canvasId canvas_2, shownIn other");
});

test("a canvas that was put aside is asked about again once it is opened", () => {
  const aside = navigate(at(places.open), { type: "canvas-put-aside" }, "wide");
  const opened = navigate(aside, { type: "canvas-opened", canvasId: canvas, rootId: left }, "wide");
  expect(changes(aside, opened)).toBe("aside false");
});

test("the end of an edit closes only its own form", () => {
  const before = at(places.open, { editingId: "another" as NodeId });
  expect(navigate(before, actions["edit-ended"], "wide")).toBe(before);
});

test("the last visible pane cannot be hidden", () => {
  const before = at(places.open, { layout: { ...layoutDefault, hidden: ["forest", "conversation"] } });
  expect(navigate(before, { type: "pane-toggled", pane: "canvas" }, "wide")).toBe(before);
});

test("hiding null shows all panes again", () => {
  const after = navigate(at(places.open), { type: "pane-hidden", pane: null }, "wide");
  expect(after.layout.hidden).toEqual([]);
});

test("navigate remembers the left conversation while a new one is being created", () => {
  expect(Object.values(places).map(rootIdOf)).toEqual([left, left, made]);
});
