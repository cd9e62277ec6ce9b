#!/usr/bin/env python3
"""Requests a lease, waits until it runs, gives it more time, and cancels it.

  example.py URL [CERTIFICATE]

GALERNA_SESSION holds user:password, as ~/.one/one_auth does.
"""

import os
import sys

from galerna_client import Galerna, GalernaError


def phase_of(galerna, lease):
    return galerna.get_lease(lease)["lease"]["phase"]


def main(url, certificate=None):
    user, password = os.environ["GALERNA_SESSION"].strip().split(":", 1)
    galerna = Galerna(url, user, password, ca_file=certificate)
    terms = {"cpu": 1, "memory": 256, "duration": 3600, "name": "example"}

    trial = galerna.request_lease(**terms, dry_run=True)
    print("accepted:" if trial["accepted"] else "refused:", trial["text"])
    lease = galerna.request_lease(**terms)["lease"]
    for _ in galerna.watch():  # whenever something has changed
        if phase_of(galerna, lease) == "running":
            break
    print(f"lease {lease} runs on {galerna.get_lease(lease)['lease']['hosts']}")
    try:
        print(galerna.change_lease(lease, extend=1800)["text"])
    except GalernaError as error:
        print(f"no more time: {error}; instead: {error.document.get('alternative')}")
    galerna.cancel_lease(lease)
    print(f"lease {lease} is cancelled")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
