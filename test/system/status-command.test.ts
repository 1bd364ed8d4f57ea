// `petstore status` over TLS, in processes: Node reads NODE_EXTRA_CA_CERTS when a process starts.
import { join } from "node:path";
import t from "tap";
import { createCertificate } from "../support/certificate.ts";
import { petstore } from "../support/command.ts";
import { folder } from "../support/files.ts";
import { petstoreProcess, startServer } from "../support/processes.ts";

t.test("Checks the certificate of the service against the host name of BASE_URL", async (t) => {
  const { files } = await createCertificate(t, 1); // valid for localhost, not for 127.0.0.1
  const settings = { DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`, LOG_LEVEL: "silent", ...files };
  const OPERATOR_KEY = (await petstore(settings, ["keys", "create", "olivia", "--operator"])).stdout.trim();
  const { port: PORT } = new URL((await startServer(t, settings)).url);
  const trusting = { ...settings, OPERATOR_KEY, PORT, NODE_EXTRA_CA_CERTS: files.TLS_CERT };
  const local = { ...trusting, BASE_URL: "https://localhost/v1" };
  t.match(petstoreProcess(local, "status"), { status: 0, stdout: /^Healthy\./m, stderr: "" });
  t.match(petstoreProcess(trusting, "status", `https://localhost:${PORT}`), { status: 0, stderr: "" });

  const wrong = (name: string) =>
    `petstore: The certificate of https://127.0.0.1:${PORT}/status.json is not valid for ${name}. Use a host name of the certificate.\n`;
  const fails = (environment: Record<string, string>, stderr: string, ...args: string[]) =>
    t.match(petstoreProcess(environment, "status", ...args), { status: 1, stdout: "", stderr });
  fails(trusting, wrong("127.0.0.1"));
  fails({ ...trusting, BASE_URL: "http://localhost/v1" }, wrong("127.0.0.1"));
  fails({ ...trusting, BASE_URL: "https://pets.example/v1" }, wrong("pets.example"));
  fails(local, wrong("127.0.0.1"), `https://127.0.0.1:${PORT}`);
  fails({ ...local, NODE_EXTRA_CA_CERTS: "" }, "status.json: DEPTH_ZERO_SELF_SIGNED_CERT.\n");
});
