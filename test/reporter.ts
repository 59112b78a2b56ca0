import { relative } from "node:path";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

/**
 * Prints one line per test file, full errors, each skip with its reason, each test that passed at its second try only, the
 * tests' measurements, the names of what failed once more, and `N passed, N failed, N skipped` as the last line.
 */
export default class ClosingLineReporter implements Reporter {
  #startedAt = performance.now();

  onTestRunStart(): void {
    this.#startedAt = performance.now();
  }

  onTestModuleEnd(module: TestModule): void {
    const counts = count([module]);
    const seconds = (module.diagnostic().duration / 1000).toFixed(1);
    const mark = counts.failed > 0 || module.errors().length > 0 ? "FAIL" : "ok  ";
    console.log(`${mark} ${relative(process.cwd(), module.moduleId)} (${counts.passed + counts.failed}, ${seconds} s)`);
    for (const test of module.children.allTests("failed")) report(test.fullName, test.result().errors ?? []);
    report(module.relativeModuleId, module.errors());
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counts = count(modules);
    const broken = modules.filter((module) => module.errors().length > 0).length;
    let again = 0;
    report("outside of any test", unhandled);
    for (const test of allTests(modules)) {
      const result = test.result();
      for (const { message } of test.annotations()) console.log(message);
      if (result.state === "passed" && (result.errors?.length ?? 0) > 0) {
        again += 1;
        report(`${test.fullName}: passed at the second try, after`, result.errors ?? []);
      }
      if (result.state === "skipped") console.log(`skipped: ${test.fullName}: ${result.note ?? "no reason given"}`);
    }
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
    console.log(`${modules.length} files in ${seconds} s`);
    if (again > 0) console.log(`${again} passed at the second try only`);
    // Whoever sees only the end of a long output learns what to run again.
    for (const test of allTests(modules)) {
      const [error] = test.result().errors ?? [];
      if (test.result().state === "failed") {
        console.log(`failed: ${test.module.relativeModuleId} > ${test.fullName}: ${firstLine(error?.message ?? "")}`);
      }
    }
    for (const module of modules) {
      const [error] = module.errors();
      if (error !== undefined) console.log(`failed: ${module.relativeModuleId}: ${firstLine(error.message)}`);
    }
    console.log(
      `${counts.passed} passed, ${counts.failed + broken + unhandled.length} failed, ${counts.skipped} skipped`,
    );
  }
}

function count(modules: readonly TestModule[]): { passed: number; failed: number; skipped: number } {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const test of allTests(modules)) {
    const { state } = test.result();
    if (state !== "pending") counts[state] += 1;
  }
  return counts;
}

function allTests(modules: readonly TestModule[]): TestCase[] {
  return modules.flatMap((module) => [...module.children.allTests()]);
}

function report(name: string, errors: readonly SerializedError[]): void {
  for (const error of errors) {
    const frames = (error.stack ?? error.message)
      .split("\n")
      .filter((line) => !/node_modules|node:internal|new Promise/.test(line));
    console.log(`\n  ${name}\n${indent(frames.join("\n"))}`);
    if (typeof error["diff"] === "string") console.log(indent(error["diff"]));
    if (error.cause !== undefined) report("caused by", [error.cause]);
  }
}

function firstLine(text: string): string {
  return text.slice(0, 300).split("\n", 1)[0] ?? "";
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}
