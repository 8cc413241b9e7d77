// Requests to the server that sent the page.
import { saved } from "../exports.js";

export class Server {
  constructor(token, session) {
    Object.assign(this, { token, session });
    this.entry = null; // the machine of the session that the page shows
    this.listeners = []; // hear whether the server answers
    this.answers = true;
  }

  heard(answers) {
    if (answers === this.answers) return;
    this.answers = answers;
    for (const listener of this.listeners) listener(answers);
  }

  async fetch(verb, data = {}, { keepalive = false } = {}) {
    const answer = await fetch(`/api/${verb}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Dalembert-Token": this.token },
      body: JSON.stringify({ ...(this.entry === null ? {} : { entry: this.entry }), ...data, session: this.session }),
      keepalive,
    }).catch(() => null);
    this.heard(Boolean(answer));
    if (!answer) throw new Error("the studio does not answer: start it again (dalembert studio), this page then continues");
    if (!answer.ok) throw new Error((await answer.json()).error);
    return answer;
  }

  async ask(verb, data, options) {
    return (await this.fetch(verb, data, options)).json();
  }

  async save(data) {
    const answer = await this.fetch("save", data);
    const name = /filename="([^"]*)"/.exec(answer.headers.get("Content-Disposition"))[1];
    saved(await answer.blob(), name);
  }
}
