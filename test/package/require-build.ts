import { inject } from "vitest";

// Testing an older build would say nothing about these sources.
if (!inject("built")) throw new Error("The package could not be built; the compiler's output is at the top.");
