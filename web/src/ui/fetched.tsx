import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

/** Returns a component whose code is fetched on first use; `waiting` renders until it is loaded. */
export function fetched<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: (props: Props) => ReactNode = () => null,
): ComponentType<Props> {
  const Part: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return function Fetched(props: Props) {
    return (
      <Suspense fallback={waiting(props)}>
        <Part {...props} />
      </Suspense>
    );
  };
}
