import { inject } from "vitest";

// A test of an older build would say nothing about these sources.
if (!inject("built")) throw new Error("The package could not be built; what the compiler said stands at the top.");
