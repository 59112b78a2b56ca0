import { Component, type ReactNode } from "react";
import { reasonOf } from "../../../src/core/base/reason.ts";
import { Screen } from "./screen.tsx";

/** Shows an error screen when rendering fails. Drafts are kept in the browser. */
export class DefectBoundary extends Component<{ readonly children: ReactNode }, { readonly message: string | null }> {
  override state: { readonly message: string | null } = { message: null };

  static getDerivedStateFromError(error: unknown): { readonly message: string } {
    return { message: reasonOf(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === null) return this.props.children;
    return (
      <Screen title="This page stopped because of an internal error">
        <p>Everything that the server confirmed is safe, and so are your drafts. Reload the page to continue.</p>
        <button type="button" className="button primary" onClick={() => location.reload()}>
          Reload the page
        </button>
        <p className="quiet">
          <code>{message}</code>
        </p>
      </Screen>
    );
  }
}
