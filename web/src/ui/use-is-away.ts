import { useApp } from "./app-context.ts";
import { useObservable } from "./use-observable.ts";

/** Whether the server does not answer now, so that what it is asked for waits. */
export function useIsAway(): boolean {
  const { type } = useObservable(useApp().client.state);
  return type === "reconnecting" || type === "offline";
}
