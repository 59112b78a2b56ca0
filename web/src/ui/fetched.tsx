import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";

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
    loaded = await load();
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
      <Suspense fallback={waiting(props)}>
        <Part {...props} />
      </Suspense>
    );
  };
}
