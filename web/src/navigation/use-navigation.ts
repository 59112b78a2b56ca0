import { type Dispatch, useEffect, useReducer } from "react";
import type { BlockId, RootId } from "../../../src/core/base/ids.ts";
import { readText, Stored } from "../browser/stored.ts";
import { navigate, type Navigation, type NavigationAction, rootIdOf } from "./navigation.ts";
import { type Breadth, storedLayout } from "./pane-layout.ts";

const lastRoot = new Stored("root", readText, "", "window");
const lastCanvas = new Stored("canvas", readText, "", "window");
const lastAside = new Stored("canvas-aside", readText, "", "window");

/** Returns the navigation state, which this browser stores. */
export function useNavigation(breadth: Breadth): readonly [Navigation, Dispatch<NavigationAction>] {
  const [navigation, dispatch] = useReducer(
    (state: Navigation, action: NavigationAction) => navigate(state, action, breadth),
    null,
    remembered,
  );
  const { place, canvasId, aside, layout } = navigation;
  const rootId = rootIdOf(place);
  useEffect(() => {
    if (rootId !== null) lastRoot.set(rootId);
  }, [rootId]);
  useEffect(() => {
    if (canvasId === null) lastCanvas.clear();
    else lastCanvas.set(canvasId);
  }, [canvasId]);
  useEffect(() => lastAside.set(aside ? "yes" : ""), [aside]);
  useEffect(() => storedLayout.set(layout), [layout]);
  return [navigation, dispatch];
}

function remembered(): Navigation {
  const rootId = lastRoot.get();
  const canvasId = lastCanvas.get();
  const isShown = rootId !== "" && canvasId !== "";
  return {
    place: { type: "open", rootId: rootId === "" ? null : (rootId as RootId) },
    canvasId: canvasId === "" ? null : (canvasId as BlockId),
    shownIn: isShown ? (rootId as RootId) : null,
    aside: isShown && lastAside.get() === "yes",
    closed: false,
    dialog: "none",
    editingId: null,
    renaming: false,
    asked: null,
    goal: null,
    layout: storedLayout.get(),
    front: "conversation",
  };
}
