import { canvasViewPage } from "./canvas-view-page.ts";

/** The address of the canvas as an app inside other programs. */
export const canvasViewUri = "ui://heddle/canvas";

/** What says of a tool that this view shows its result; the second form is the extension's older one. */
export const canvasViewMeta = { ui: { resourceUri: canvasViewUri }, "ui/resourceUri": canvasViewUri } as const;

/** Returns the view as a resource: one page without external parts, which reaches Heddle through its host alone. */
export function canvasView() {
  return {
    uri: canvasViewUri,
    mimeType: "text/html;profile=mcp-app",
    text: canvasViewPage,
    _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
  };
}
