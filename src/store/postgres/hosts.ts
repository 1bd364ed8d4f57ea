// The hosts of a PostgreSQL database: a primary and standbys, one of which becomes the primary by a failover.
//
// pg connects to one host only, so this follows libpq: DATABASE_URL lists several hosts, and
// target_session_attrs=read-write skips those that reject writes.
import pg from "pg";
import { type PostgresDatabase, parseDatabaseUrl } from "../../lib/index.ts";

const checkTimeout = 1_000; // milliseconds

/** The hosts of a database, one of which is in use. Connections start with the host that worked last. */
export class Hosts {
  /** The URL of the database on each host. */
  readonly urls: readonly string[];
  /** Whether `target_session_attrs` requires a server that accepts writes. */
  readonly mustBeWritable: boolean;
  #index = 0;

  /** Throws an Error if `target_session_attrs` in the URL is not supported. */
  constructor(url: string) {
    const [, attributes = "any"] = /[?&]target_session_attrs=([^&#]*)/.exec(url) ?? [];
    if (attributes !== "any" && attributes !== "read-write")
      throw new Error("target_session_attrs must be any or read-write");
    this.urls = (parseDatabaseUrl(url) as PostgresDatabase).urls;
    this.mustBeWritable = attributes === "read-write";
  }

  /** The URL of the host for new connections. */
  get current(): string {
    return this.urls[this.#index] as string;
  }

  /** Selects the next host after `url` failed, unless another connection has done so. */
  skip(url: string): void {
    if (url === this.current) this.#index = (this.#index + 1) % this.urls.length;
  }

  /** Rejects if writes are required, and the server of the connection rejects them. */
  readonly checkServer = async (client: pg.ClientBase): Promise<void> => {
    if (!this.mustBeWritable) return;
    // Without a timeout, the pool would wait forever for a server that accepts the connection, and then does not respond.
    const config = { text: "SHOW transaction_read_only", query_timeout: checkTimeout };
    const { rows } = await client.query(config);
    if (rows[0].transaction_read_only !== "on") return;
    const { host, port } = client as pg.Client;
    throw new Error(`the server ${host}:${port} is read-only`);
  };

  /** Returns the options of a pool whose new connections use the current host. */
  poolOptions(): Pick<pg.PoolConfig, "Client" | "onConnect"> {
    const hosts = this;
    class HostClient extends pg.Client {
      readonly url: string;

      constructor(options?: pg.ClientConfig) {
        const url = hosts.current;
        super({ ...options, connectionString: url });
        this.url = url;
        const skip = () => hosts.skip(url);
        this.once("end", skip).once("connect", () => this.off("end", skip));
      }
    }
    const onConnect = (client: pg.ClientBase) =>
      this.checkServer(client).catch((error) => {
        this.skip((client as HostClient).url);
        throw error;
      });
    return { Client: HostClient, onConnect };
  }
}
