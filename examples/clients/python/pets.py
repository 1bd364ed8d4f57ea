"""Lists the pets of a Pet Store service, or creates one. Needs Python 3.11, and no packages.

export KEY=psk_... PETSTORE_URL=https://petstore.example/v1
python3 pets.py
python3 pets.py NAME CATEGORY_ID [IDEMPOTENCY_KEY]
"""

import json
import os
import random
import re
import sys
import time
import uuid
from collections.abc import Iterator
from email.message import Message
from http.client import HTTPException
from typing import Any, NotRequired, TypedDict
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

TIMEOUT = 30  # seconds, to connect and for each read
MAX_ATTEMPTS = 6
MAX_RETRY_AFTER = 60  # seconds
PARAMETER = r'\s*;\s*[\w*-]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]+))?'
# A link of a Link header (RFC 8288): <TARGET>; rel="RELATIONS", with other parameters around it.
LINK = rf'(?i)<([^<>]*)>(?:{PARAMETER})*?\s*;\s*rel\s*=\s*"?([^";,]*)"?(?:{PARAMETER})*'


class Pet(TypedDict):
    id: int
    name: str
    categoryId: int
    status: NotRequired[str]


class PetStoreError(Exception):
    """An error response. Its code is for programs, and its message for people."""

    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        try:
            error = json.loads(body)
            self.code, self.message = error["code"], error["message"]
        except (ValueError, LookupError, TypeError):  # the response of a proxy, for example
            self.code, self.message = "unreadable", body[:200].decode(errors="replace")
        self.request_id = headers["X-Request-Id"]
        seconds = headers.get("Retry-After", "")
        self.retry_after = int(seconds) if re.fullmatch("[0-9]{1,9}", seconds) else 0
        self.is_temporary = status in (408, 429, 503) and self.retry_after <= MAX_RETRY_AFTER
        super().__init__(f"{status} {self.code}: {self.message} [X-Request-Id: {self.request_id}]")


class NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Makes a redirect an error. By default, urllib sends the API key to its target."""


class Client:
    def __init__(self, url: str, key: str) -> None:
        self._url, self._key = url.rstrip("/"), key
        self._opener = build_opener(NoRedirects)

    def create(self, name: str, category_id: int, idempotency_key: str) -> Pet:
        """Creates one pet, also if it is called again with the same idempotency key."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": idempotency_key}
        body = json.dumps({"name": name, "categoryId": category_id}).encode()
        pet: Pet = self._send(f"{self._url}/pets", headers, body)[0]
        return pet

    def pets(self) -> Iterator[Pet]:
        """Yields all pets, ordered by id."""
        url: str | None = f"{self._url}/pets?limit=100"
        while url:
            page, headers = self._send(url, {})
            yield from page
            url = find_next(url, headers)

    def _send(
        self, url: str, headers: dict[str, str], body: bytes | None = None
    ) -> tuple[Any, Message]:
        headers = {**headers, "Authorization": f"Bearer {self._key}"}
        attempt = 1
        while True:
            try:
                return self._send_once(Request(url, body, headers))
            except (PetStoreError, OSError, HTTPException) as error:
                retry_after = 0  # after no response, or a part of one
                if isinstance(error, PetStoreError):
                    retry_after = error.retry_after
                    if not error.is_temporary:
                        raise
                if attempt == MAX_ATTEMPTS:
                    raise
            # Exponential backoff, with jitter because other clients wait for the same moment.
            time.sleep(retry_after + random.uniform(0, 0.25 * 2**attempt))
            attempt += 1

    def _send_once(self, request: Request) -> tuple[Any, Message]:
        try:
            with self._opener.open(request, timeout=TIMEOUT) as response:
                return json.load(response), response.headers
        except HTTPError as error:
            raise PetStoreError(error.code, error.headers, error.read()) from None


def find_next(url: str, headers: Message) -> str | None:
    for target, relations in re.findall(LINK, ", ".join(headers.get_all("Link", []))):
        if "next" in relations.lower().split():
            following = urljoin(url, target)
            if urlsplit(following)[:2] == urlsplit(url)[:2]:  # the scheme and the authority
                return following
            raise ValueError(f"the next page is not on the origin of the API key: {following}")
    return None


def main(arguments: list[str]) -> None:
    url = os.environ.get("PETSTORE_URL", "http://127.0.0.1:3000/v1")
    client = Client(url, os.environ.get("KEY", ""))
    try:
        if not arguments:
            for pet in client.pets():
                print(pet["id"], pet["name"], pet["categoryId"], sep="\t")
        elif len(arguments) in (2, 3) and re.fullmatch(r"-?\d+", arguments[1]):
            name, category_id, *rest = arguments
            pet = client.create(name, int(category_id), rest[0] if rest else str(uuid.uuid4()))
            print(pet["id"])
        else:
            print("usage: pets.py [NAME CATEGORY_ID [IDEMPOTENCY_KEY]]; CATEGORY_ID is an integer", file=sys.stderr)
            sys.exit(2)
    except PetStoreError as error:
        if error.code == "idempotency_key_reused":
            print("Use a new idempotency key for a new pet.", file=sys.stderr)
        sys.exit(str(error))
    except (OSError, HTTPException, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
