import { useState } from "react";
import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import { useApp } from "../../ui/app-context.ts";
import type { Sends } from "../../ui/sends.ts";
import { TextField } from "../../ui/text-field.tsx";
import { TestResult } from "./test-result.tsx";

/** A server of one's own that speaks OpenAI's chat format, in three fields; tested before it is added, if wanted. */
export function AddProvider(props: { readonly live: boolean; readonly change: Sends; readonly onClose: () => void }) {
  const { client, tell } = useApp();
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");
  const [key, setKey] = useState("");
  const [tested, setTested] = useState<CommandAnswer<"provider.test"> | null>(null);
  const [isBusy, setBusy] = useState(false);
  const server = { address: address.trim(), ...(key.trim() === "" ? {} : { key: key.trim() }) };
  const isAddress = /^https?:\/\/[^\s/]/.test(server.address);
  const test = async (): Promise<void> => {
    setBusy(true);
    const answer = await client.call("provider.test", server);
    setBusy(false);
    if (answer.ok) setTested(answer.value);
    else tell(answer.error);
  };
  const add = async (): Promise<void> => {
    setBusy(true);
    const done = await props.change(client.call("provider.add", { name: name.trim(), ...server }), `${name} added`);
    setBusy(false);
    if (done) props.onClose();
  };
  return (
    <form
      className="preset-form"
      aria-label="Add a server of your own"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <p className="quiet">Any server that speaks OpenAI’s chat format: llama.cpp, vLLM, LM Studio, a gateway.</p>
      <TextField label="Name" value={name} onValue={setName} maxLength={60} isFirst />
      <TextField
        label="Address"
        type="url"
        value={address}
        onValue={setAddress}
        placeholder="http://127.0.0.1:8080/v1"
      />
      <TextField label="Key, if it wants one" type="password" value={key} onValue={setKey} />
      {tested !== null && <TestResult tested={tested} />}
      <div className="button-row end">
        <button type="button" className="button small" onClick={props.onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button small"
          disabled={!props.live || isBusy || !isAddress}
          onClick={() => void test()}
        >
          {isBusy ? "Testing…" : "Test"}
        </button>
        <button
          type="submit"
          className="button small primary"
          disabled={!props.live || isBusy || !isAddress || name.trim() === ""}
        >
          Add
        </button>
      </div>
    </form>
  );
}
