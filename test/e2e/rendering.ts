import type { Page } from "playwright-core";

/** The part of the page a component is in, as far as these tests distinguish parts. */
type Place = "composer" | "live reply" | "state line" | "elsewhere";

/** One React commit: the parts whose components rendered, and the names of components in no known part. */
export interface Commit {
  readonly places: readonly Place[];
  readonly elsewhere: readonly string[];
}

/**
 * Counts renders from outside the app, in place of React's developer tools, to which React reports each commit. The app
 * needs no switch for it. Call it before the page is opened.
 */
export async function recordCommits(page: Page): Promise<void> {
  await page.addInitScript(installRecorder);
}

/** The commits since the last call. */
export async function takeCommits(page: Page): Promise<readonly Commit[]> {
  return page.evaluate(() => {
    const holder = globalThis as unknown as { heddleCommits: Commit[] };
    return holder.heddleCommits.splice(0);
  });
}

/** The fields read from React's own records. */
interface Fiber {
  readonly tag: number;
  readonly flags: number;
  readonly alternate: Fiber | null;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly return: Fiber | null;
  readonly stateNode: unknown;
}

// Runs in the page, so it uses nothing from its scope.
function installRecorder(): void {
  // React's numbers for kinds of fibers, and the flag of a component whose function ran.
  const componentTags = new Set([0, 1, 11, 14, 15]);
  const hostTag = 5;
  const performedWork = 1;
  const commits: Commit[] = [];

  const hostIn = (fiber: Fiber | null): Element | null => {
    for (let at = fiber; at !== null; at = at.sibling) {
      const found = at.tag === hostTag ? (at.stateNode as Element) : hostIn(at.child);
      if (found !== null) return found;
    }
    return null;
  };
  const hostAround = (fiber: Fiber): Element | null => {
    for (let at = fiber.return; at !== null; at = at.return) if (at.tag === hostTag) return at.stateNode as Element;
    return null;
  };
  const placeOf = (element: Element | null): Place => {
    if (element === null) return "elsewhere";
    if (element.closest("form.composer") !== null) return "composer";
    if (element.closest("article.live") !== null) return "live reply";
    return element.closest(".state-line") === null ? "elsewhere" : "state line";
  };
  const rendered = (fiber: Fiber, found: Element[]): void => {
    const before = fiber.alternate;
    if (componentTags.has(fiber.tag) && (before === null || (fiber.flags & performedWork) !== 0)) {
      const host = hostIn(fiber.child) ?? hostAround(fiber);
      if (host !== null) found.push(host);
    }
    // If the children are those of the last commit, nothing below has rendered.
    if (before !== null && before.child === fiber.child) return;
    for (let child = fiber.child; child !== null; child = child.sibling) {
      if (before === null || !isAmong(before.child, child)) rendered(child, found);
    }
  };
  const isAmong = (first: Fiber | null, wanted: Fiber): boolean => {
    for (let at = first; at !== null; at = at.sibling) if (at === wanted) return true;
    return false;
  };

  Object.assign(globalThis, {
    heddleCommits: commits,
    __REACT_DEVTOOLS_GLOBAL_HOOK__: {
      supportsFiber: true,
      renderers: new Map(),
      inject: () => 1,
      onCommitFiberRoot(_renderer: number, root: { readonly current: Fiber }) {
        const found: Element[] = [];
        rendered(root.current, found);
        if (found.length === 0) return;
        commits.push({
          places: found.map(placeOf),
          elsewhere: found
            .filter((element) => placeOf(element) === "elsewhere")
            .map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}`),
        });
      },
      onCommitFiberUnmount() {},
      onPostCommitFiberRoot() {},
    },
  });
}
