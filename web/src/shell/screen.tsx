import { useEffect, type ReactNode } from "react";
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

/** Opens an address that a person pastes over the one of this page: a browser reloads nothing where only the hash differs. */
export function useOpenedAddress(): void {
  useEffect(() => {
    const open = (): void => {
      if (location.hash.length > 1) location.reload();
    };
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  }, []);
}
