/** Requests of one caller as they came over HTTP, also those that never became a call of a tool; the last ones are kept. */
export interface FaceCall {
  /** 1, 2, 3 ... of the caller. */
  n: number;
  method: string;
  /** As sent, without the query. */
  path: string;
  query: string;
  /** `GET /pets/{petId}` of the document; absent where no path fits. */
  operation?: string | undefined;
  /** Its `operationId`. */
  operationId?: string | undefined;
  /** Path, query, header and cookie parameters by name, as they were understood. */
  params?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  /** The tool that ran; absent where none did. */
  tool?: string | undefined;
  /** 0 where there was no answer. */
  status: number;
  /** The fault rules that struck it. */
  fault?: string | undefined;
  /** Virtual time, unix seconds. */
  at: number;
}

const MOST = 1_000;

export class CallLog {
  #calls: FaceCall[] = [];
  #count = 0;

  /** `most`: calls that are kept; 0 for a log that nobody may read. */
  constructor(readonly most = MOST) {}

  add(call: Omit<FaceCall, 'n'>): void {
    if (this.most === 0) return;
    this.#calls.push({ n: ++this.#count, ...call });
    if (this.#calls.length >= 2 * this.most) this.#calls = this.#calls.slice(-this.most);
  }

  /** At most the last thousand, the oldest first. */
  list(): readonly FaceCall[] {
    return this.#calls.length > this.most ? this.#calls.slice(-this.most) : this.#calls;
  }

  clear(): void {
    this.#calls = [];
  }
}
