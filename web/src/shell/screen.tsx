import type { ReactNode } from "react";
import { Mark } from "../ui/icons.tsx";

/** A page with nothing but what it says, and what to do. */
export function Screen({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="screen">
      <div>
        <Mark size={36} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
