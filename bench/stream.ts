import { atMost, noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { median } from "./harness/interleave.ts";
import { agents, tokens } from "./stream/load.ts";
import { BenchChild, type Listening } from "./sync/child.ts";

const work = `a token of ${agents} agents' replies, 50 a second each`;
const goal = 2;
/** A reply takes 12 s; one that failed leaves no message. */
const replyMsMax = 60_000;

const bench: Bench = {
  name: "stream",
  rounds: 3,
  question: "What does a token of an agent cost the server, beside fetching and parsing it?",
  async run({ rounds, log }) {
    const source = await BenchChild.start<Listening>("../stream/source.ts", []);
    const origin = `http://127.0.0.1:${source.hello.port}`;
    const reader = await BenchChild.start<Listening>("../stream/fetch.ts", [origin]);
    const server = await BenchChild.start<Listening>("../stream/serve.ts", [origin]);
    const least: number[] = [];
    const ours: number[] = [];
    try {
      // The first round does not count: code is compiled in it.
      for (let round = -1; round < rounds; round += 1) {
        const read = await usOf(reader, () => reader.ask({ ask: "go" }));
        const replied = await usOf(server, () => reply(server.hello));
        log(`fetch and parse ${read.toFixed(0)} us, heddle ${replied.toFixed(0)} us`);
        if (round < 0) continue;
        least.push(read);
        ours.push(replied);
      }
    } finally {
      await Promise.all([source, reader, server].map((child) => child.stop()));
    }
    const ratio = median(ours.map((us, round) => us / (least[round] ?? Number.NaN)));
    const row = (subject: string, value: number): Omit<BenchRow, "ratio" | "goal" | "holds"> => ({
      work,
      subject,
      value,
      unit: "us CPU",
    });
    return [
      { ...row("fetch and parse", median(least)), ratio: null, ...noGoal },
      { ...row("heddle", median(ours)), ratio, ...atMost(goal, ratio) },
    ];
  },
};

export default bench;

/** Processor time of a process for each token, in microseconds. */
async function usOf(child: BenchChild<Listening>, run: () => Promise<unknown>): Promise<number> {
  const before = await child.used();
  await run();
  const after = await child.used();
  return ((after.cpuMs - before.answeredCpuMs) * 1_000) / (agents * tokens);
}

/** Asks as many agents at once, each in a conversation of its own, and waits until all replies are there. */
async function reply({ port, token }: Listening): Promise<void> {
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const asked = await Promise.all(
    Array.from({ length: agents }, async () => {
      const { rootId } = await call<{ rootId: string }>("POST", "commands/conversation.create", { model: "local/m" });
      const { id } = await call<{ id: string }>("POST", `nodes/${rootId}/append`, { content: "Go on." });
      await call("POST", `nodes/${id}/generate`, { n: 1 });
      return id;
    }),
  );
  const giveUpAt = performance.now() + replyMsMax;
  for (let open = asked; open.length > 0;) {
    if (performance.now() > giveUpAt) throw new Error(`${open.length} of ${agents} agents gave no reply`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const replies = await Promise.all(
      open.map((id) => call<{ nodes: readonly unknown[] }>("GET", `nodes/${id}/children`)),
    );
    open = open.filter((_, index) => replies[index]?.nodes.length === 0);
  }
}
