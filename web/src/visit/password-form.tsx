import { useId, useState, type SyntheticEvent } from "react";
import { linkProof, linkPasswordUnits } from "../../../src/client/base/link-proof.ts";

/** Asks for a link's password. What is typed stays on the page: the server is sent a proof of it. */
export function PasswordForm(props: {
  readonly secret: string;
  /** What the server said last. */
  readonly message: string;
  readonly onProof: (proof: string) => void;
}) {
  const { secret, message, onProof } = props;
  const [password, setPassword] = useState("");
  const id = useId();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    void linkProof(secret, password).then(onProof);
  };
  return (
    <form className="visit-password" onSubmit={submit}>
      <p role="alert">{message}</p>
      <label htmlFor={id}>Password</label>
      <input
        id={id}
        type="password"
        value={password}
        required
        maxLength={linkPasswordUnits.max}
        autoComplete="off"
        autoFocus
        onChange={({ target }) => setPassword(target.value)}
      />
      <button type="submit" className="button primary">
        Open
      </button>
    </form>
  );
}
