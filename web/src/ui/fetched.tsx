import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

/** A part of the page that is fetched when it is first shown; what `waiting` gives stands in its place until it is here. */
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
