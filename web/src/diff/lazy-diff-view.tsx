import { fetched } from "../ui/fetched.tsx";

export const DiffView = fetched(
  async () => (await import("./diff-view.tsx")).DiffView,
  () => <p aria-busy="true">Comparing…</p>,
);
