/** Whose fault it is when a call to an outside server fails, and what the agent is told of it. */
import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { Json } from '../../kit/hash.js';

export interface OutsideOutcome {
  ok: boolean;
  result: Json;
  error?: { code: string; fault: 'agent' | 'infrastructure'; status: number };
}

/** Why a call ended that was not answered. */
export class CallBroken extends Error {
  readonly outcome: OutsideOutcome;

  constructor(outcome: OutsideOutcome) {
    super('The call was broken off');
    this.outcome = outcome;
  }
}

const failed = (fault: 'agent' | 'infrastructure', code: string, status: number, message: string): OutsideOutcome => ({
  ok: false,
  result: { error: { code, message } },
  error: { code, fault, status },
});

export const agentFault = (code: string, status: number, message: string): OutsideOutcome =>
  failed('agent', code, status, message);

export const serverFault = (code: string, status: number, message: string): OutsideOutcome =>
  failed('infrastructure', code, status, message);

export const GONE = serverFault('server_gone', 502, 'The server behind this tool is no longer running.');
export const BAD_ANSWER = serverFault('server_bad_answer', 502, 'The server behind this tool gave a broken answer.');
export const TOO_LARGE = agentFault('result_too_large', 413, 'The result is larger than 16 MiB. Ask for less.');
export const UNREACHABLE = serverFault('server_unreachable', 502, 'The server behind this tool cannot be reached.');

const REFUSED = serverFault('server_refused', 502, 'The server behind this tool refuses our credentials.');

const ofSdk = (error: SdkError): OutsideOutcome => {
  if (error instanceof SdkHttpError && [401, 403].includes(error.status)) return REFUSED;
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return serverFault('server_timeout', 504, 'The server behind this tool did not answer in time.');
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return GONE;
    case SdkErrorCode.ClientHttpNotImplemented:
    case SdkErrorCode.ClientHttpFailedToOpenStream:
      return UNREACHABLE;
    case SdkErrorCode.CapabilityNotSupported:
    case SdkErrorCode.InputRequiredRoundsExceeded:
      return serverFault('needs_input', 502, 'The tool asks for input that a session cannot give.');
    default:
      return BAD_ANSWER;
  }
};

/** What a rejected `tools/call` means. Only what the agent can do better is its fault. */
export const outcomeOfFailure = (thrown: unknown): OutsideOutcome => {
  if (thrown instanceof CallBroken) return thrown.outcome;
  if (thrown instanceof ProtocolError) {
    const message = thrown.message.slice(0, 2_000);
    if (thrown.code === ProtocolErrorCode.InvalidParams) return agentFault('invalid_arguments', 400, message);
    return serverFault('server_error', 502, message);
  }
  if (thrown instanceof SdkError) return ofSdk(thrown);
  // fetch tells of a network failure as a TypeError.
  return thrown instanceof TypeError ? UNREACHABLE : BAD_ANSWER;
};
