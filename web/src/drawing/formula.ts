import type Temml from "temml";
import "./formula.css";

/** The longest formula that is drawn. UTF-16 units. */
const formulaMax = 10_000;

let temml: Promise<{ readonly default: typeof Temml }> | null = null;

/**
 * Draws a formula into an element as MathML; resolves to why it could not be drawn, null when it was. The source stays in the
 * element then. No source can name an address or a style: Temml builds elements, and trusts nothing.
 */
export async function drawFormula(element: HTMLElement, source: string, display: boolean): Promise<string | null> {
  if (source.length > formulaMax) return `Formulas are drawn up to ${formulaMax} characters`;
  try {
    temml ??= import("temml");
    const { default: drawing } = await temml;
    const drawn = document.createElement("span");
    drawing.render(source, drawn, {
      displayMode: display,
      trust: false,
      throwOnError: true,
      maxExpand: 1_000,
      annotate: true,
    });
    element.replaceChildren(...drawn.childNodes);
    return null;
  } catch (problem) {
    return problem instanceof Error ? problem.message : "This formula cannot be drawn";
  }
}
