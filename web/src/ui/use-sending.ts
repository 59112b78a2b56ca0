import { useEffect, useRef, useState } from "react";

/** Runs a form's action, one at a time; calls `onDone` after success while the form is still mounted. */
export function useSending(onDone: () => void): {
  readonly sending: boolean;
  /** `act` resolves to whether it succeeded. */
  readonly send: (act: () => Promise<boolean>) => Promise<void>;
} {
  const [sending, setSending] = useState(false);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const send = async (act: () => Promise<boolean>): Promise<void> => {
    if (sending) return;
    setSending(true);
    const done = await act();
    // Another form may be open in its place by now.
    if (!isOpen.current) return;
    setSending(false);
    if (done) onDone();
  };
  return { sending, send };
}
