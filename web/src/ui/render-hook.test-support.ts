import { act, createElement, type ReactNode } from "react";
import type { Root } from "react-dom/client";

/** Returns the minimal page that React needs when a component renders nothing. */
function emptyPage(): Element {
  const listening = { addEventListener: () => {}, removeEventListener: () => {} };
  // React asks whether the focused element is a frame.
  const defaultView = { HTMLIFrameElement: Map };
  const page = { nodeType: 9, nodeName: "#document", activeElement: null, defaultView, ...listening };
  return Object.assign({ nodeType: 1, nodeName: "DIV", tagName: "DIV", ownerDocument: page }, listening, {
    textContent: "",
    firstChild: null,
    lastChild: null,
  }) as unknown as Element;
}

/** A hook mounted in a component that renders nothing. */
export interface MountedHook<Props, Result> {
  /** Every result so far, one for each render. */
  readonly results: readonly Result[];
  readonly render: (props: Props) => Promise<void>;
  readonly unmount: () => Promise<void>;
}

/** Runs a hook as React runs it, without a browser. `around` puts the component into its contexts. */
export async function mountHook<Props, Result>(
  hook: (props: Props) => Result,
  around: (child: ReactNode) => ReactNode = (child) => child,
): Promise<MountedHook<Props, Result>> {
  // Removed at the end, because other tests of the process check for a window.
  const globals = { IS_REACT_ACT_ENVIRONMENT: true, window: globalThis };
  Object.assign(globalThis, globals);
  const { createRoot } = await import("react-dom/client");
  const results: Result[] = [];
  const root: Root = createRoot(emptyPage());
  const Host = ({ props }: { readonly props: Props }): null => {
    results.push(hook(props));
    return null;
  };
  return {
    results,
    render: (props) => act(async () => root.render(around(createElement(Host, { props })))),
    async unmount() {
      await act(async () => root.unmount());
      for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
    },
  };
}
