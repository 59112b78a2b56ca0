import { useEffect, useRef, useState } from "react";

/** Does what a form asks for, once at a time; where that was done and the form is still there, `onDone` is called. */
export function useSending(onDone: () => void): {
  readonly sending: boolean;
  /** `act` answers whether it was done. */
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
