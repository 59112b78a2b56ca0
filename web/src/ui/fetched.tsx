import { type ComponentType, lazy, type ReactNode, Suspense, useContext, useEffect, useState } from "react";
import { loadCode } from "../browser/load-code.ts";
import { AppContext } from "./app-context.ts";

/** When the code is fetched: when the part is first shown, or at once, beside what the page needs first. */
type FetchedAt = "use" | "start";

/**
 * Returns a component whose code is fetched apart; `waiting` renders until it is loaded. Code that is there already is drawn
 * at once, so that a dialog opened by a key has the focus before the next key.
 */
export function fetched<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: (props: Props) => ReactNode = () => null,
  at: FetchedAt = "use",
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  const fetch = async (): Promise<{ default: ComponentType<Props> }> => {
    loaded = await loadCode(load);
    return { default: loaded };
  };
  const coming = at === "start" ? fetch() : null;
  // Whoever shows the part hears of a failure.
  coming?.catch(() => undefined);
  const Part: ComponentType<Props> = lazy(() => coming ?? fetch());
  return function Fetched(props: Props) {
    const [Known] = useState(() => loaded);
    if (Known !== null) return <Known {...props} />;
    return (
      <Suspense fallback={<Coming>{waiting(props)}</Coming>}>
        <Part {...props} />
      </Suspense>
    );
  };
}

const lateMs = 1_000;

/** What is drawn until a part is here; says so where the server is away. */
function Coming({ children }: { readonly children: ReactNode }) {
  const app = useContext(AppContext);
  useEffect(() => {
    if (app === null) return undefined;
    const timer = setTimeout(() => {
      const { type } = app.client.state.get();
      if (type === "reconnecting" || type === "offline")
        app.tell("Heddle is offline. This opens when the server answers.");
    }, lateMs);
    return () => clearTimeout(timer);
  }, [app]);
  return children;
}
