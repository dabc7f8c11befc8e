#!/usr/bin/env python3
"""The page of the daemons in a real Chromium: session.py BUILD CHROMIUM FOLDER. It looks at what page_e2e serves (values made
by hand: 500 nodes, names that no API server admits, 100,000 pods) at two widths, dark and light, with and without scripts, and
leaves pictures in the folder."""
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from browser import Browser
from daemons import Daemons, call, until

WIDTHS = (1280, 390)
# Elements that reach beyond the page's width.
TOO_WIDE = """(() => { const wide = document.documentElement.clientWidth;
  return [...document.querySelectorAll('body *')].filter(e => !e.closest('svg') || e.tagName === 'svg')
    .filter(e => e.getBoundingClientRect().right > wide + 1).map(e => e.tagName + '.' + e.className).slice(0, 5); })()"""
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
failures = []
made = 0  # checks


def check(is_so, what):
    global made
    made += 1
    if not is_so:
        failures.append(what)
        print(f"e2e page: FAILED: {what}", file=sys.stderr)


class Served:
    def __init__(self, build, *arguments):
        self.process = subprocess.Popen([build / "bin/page_e2e", *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)


def well_behaved(browser, url, what):
    """Nothing foreign was asked for, run, or complained of."""
    foreign = [each for each in browser.requests if not each.startswith((url, "data:"))]
    check(not foreign, f"{what}: it asks elsewhere: {foreign[:3]}")
    check(not browser.complaints, f"{what}: Chromium complains: {browser.complaints[:3]}")
    check(not browser.dialogs, f"{what}: a dialog opened: {browser.dialogs[:1]}")


def look(browser, url, path, name, folder, width, dark):
    what = f"{name} at {width}{' dark' if dark else ''}"
    browser.open(url + path, width, dark)
    well_behaved(browser, url, what)
    check(browser.value("document.title") == "elbowroom-scheduler", f"{what}: its title is {browser.value('document.title')!r}")
    check(browser.value("document.querySelectorAll('script, img, iframe, object').length") == 1, f"{what}: markup of others")
    check(browser.value("document.querySelectorAll('h1').length") == 1, f"{what}: headings of others")
    check(browser.value(TOO_WIDE) == [], f"{what}: reaches beyond its width: {browser.value(TOO_WIDE)}")
    red, green, blue = (int(each) for each in browser.value(BACKGROUND)[4:-1].split(","))
    check((red + green + blue < 200) == dark, f"{what}: its background is {red}, {green}, {blue}")
    browser.picture(folder / f"{name}-{width}-{'dark' if dark else 'light'}.png")


def look_at_nodes(browser, build, folder):
    with Served(build, 500, 12) as page:
        for width in WIDTHS:
            for dark in (False, True):
                look(browser, page.url, "ui", "cluster", folder, width, dark)
                look(browser, page.url, "ui?node=node-10", "node", folder, width, dark)
                look(browser, page.url, "ui?pod=default/web-0", "pod", folder, width, dark)
        browser.open(page.url + "ui", WIDTHS[0])
        check(browser.value("document.querySelectorAll('article.node').length") == 500, "not every node is drawn")
        check(browser.value("document.querySelectorAll('#resizes tbody tr').length") == 50, "not every resize is listed")
        check(browser.value("[...document.querySelectorAll('rect')].every(e => e.getBoundingClientRect().width > 0)"),
              "a bar has no width")
        for section in ("nodes", "decisions"):
            browser.value(f"document.querySelector('#{section}').scrollIntoView()")
            browser.picture(folder / f"{section}-1280-light.png")
        # The filter of the script.
        shown = "[...document.querySelectorAll('article.node')].filter(e => e.offsetParent !== null).length"
        browser.value("(() => { const e = document.querySelector('nav input'); e.value = 'node-49';"
                      " e.dispatchEvent(new Event('input')); })()")
        check(browser.value(shown) == 11, f"the filter leaves {browser.value(shown)} nodes, not 11")
        without_scripts(browser, page.url)


def without_scripts(browser, url):
    browser.open(url + "ui", WIDTHS[0], scripts=False)
    well_behaved(browser, url, "without scripts")
    for selector, least in (("article.node", 500), ("#resizes tbody tr", 50), ("#decisions tbody tr", 200), ("svg rect", 5000),
                            ("#budgets tbody tr", 3)):
        check(browser.count(selector) >= least, f"without scripts there are {browser.count(selector)} {selector}")
    check(browser.count("nav input") == 0, "without scripts there is a control that does nothing")


def look_at_hostile_names(browser, build, folder):
    with Served(build, 60, 9, "hostile") as page:
        for width in WIDTHS:
            look(browser, page.url, "ui", "hostile", folder, width, width == WIDTHS[1])
        links = browser.value("[...document.querySelectorAll('article.node a')].map(e => e.href)")
        check(len(links) == 60 and all(each.startswith(page.url + "ui?node=") for each in links), "a name changes a link")
        # Each link leads to the node that it names.
        for link in links[:18]:
            browser.open(link, WIDTHS[0])
            well_behaved(browser, page.url, link)
            check(browser.value("document.querySelectorAll('#nodes tbody tr').length") == 9, f"{link} shows no pods")
        check(browser.value("document.title") == "elbowroom-scheduler", "a name ran as a script")
        browser.open(page.url + "ui", WIDTHS[0])
        pods = browser.value("[...new Set([...document.querySelectorAll('#decisions tbody a')].map(e => e.href))]")
        check(len(pods) > 9 and all(each.startswith(page.url + "ui?pod=") for each in pods), "a pod's name changes a link")
        for link in pods[:9]:
            browser.open(link, WIDTHS[0])
            well_behaved(browser, page.url, link)
            check(browser.value("document.title") == "elbowroom-scheduler", f"{link}: a name ran as a script")
            check(browser.count("pre") == 1, f"{link} explains nothing")


def look_at_many_pods(browser, build, folder):
    with Served(build, 5000, 20) as page:
        began, sizes = time.monotonic(), []
        while time.monotonic() - began < 120:
            with urllib.request.urlopen(page.url + "ui") as answer:
                body = answer.read()
            sizes.append(len(body))
            if b"are not read yet" not in body:
                break
        took = time.monotonic() - began
        check(b"are not read yet" not in body, "100,000 pods are never read")
        check(max(sizes) < 4 << 20, f"a page has {max(sizes)} bytes")
        browser.open(page.url + "ui", WIDTHS[0])
        well_behaved(browser, page.url, "100,000 pods")
        text = browser.value("document.body.innerText")
        check("100000 pods on 5000 nodes:" in text, "100,000 pods are not said")
        check("more are not shown" in text, "it does not say what it leaves out")
        browser.picture(folder / "many-1280-light.png")
        print(f"e2e page: 100,000 pods on 5,000 nodes are read in {took:.1f} s, {len(sizes)} requests, {max(sizes) >> 10} KiB at most")


def look_at_daemons(browser, build, folder):
    """The three real daemons while room is made for a resize."""
    daemons = Daemons(build)
    try:
        daemons.grow()
        for name, url in daemons.urls.items():  # a page shows what it read for a second
            words = ("far", "default/high", "Deferred", "default/low")
            until(lambda: all(each in call(url + "ui") for each in words), f"{name}'s page with {words}")
            browser.open(url + "ui", WIDTHS[0])
            well_behaved(browser, url, name)
            check(browser.value("document.title") == name, f"{name}: its title is {browser.value('document.title')!r}")
            browser.picture(folder / f"{name}-1280-light.png", whole=True)
            links = browser.value("[...document.querySelectorAll('a[href]')].map(e => e.getAttribute('href'))")
            for link in sorted(set(links)):
                follow(browser, name, urllib.parse.urljoin(url + "ui", link))
            check(any("ui?pod=" in each for each in links), f"{name} links no pod")
        browser.open(daemons.urls["elbowroom-scheduler"] + "ui", WIDTHS[0])
        told = browser.value("document.querySelector('#decisions').innerText")
        check("default/low" in told and "default/high" in told, f"the scheduler's decisions are not told: {told!r}")
        check("Terminating pods" in browser.value("document.body.innerText"), "the victim that leaves is not told")
    finally:
        daemons.stop()


def follow(browser, name, link):
    """No link of a page leads nowhere, though the daemon may not be ready; that of a pod leads to words about it."""
    try:
        urllib.request.urlopen(link, timeout=10).close()
    except urllib.error.HTTPError as error:
        check("/readyz" in link, f"{name}: {link}: {error.code} {error.read().decode()}")
        return
    pods = urllib.parse.parse_qs(urllib.parse.urlsplit(link).query).get("pod", [])
    for pod in pods:
        browser.open(link, WIDTHS[0])
        text = browser.value("document.querySelector('main').innerText")
        check(pod in text and len(text.split()) > 20 and '{"' not in text, f"{name}: {link} has no words for people: {text!r}")


def main():
    build, chromium, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    try:
        browser = Browser(chromium)
    except RuntimeError as error:
        print(f"skipped: page: Chromium does not run here: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
        return 0
    try:
        look_at_nodes(browser, build, folder)
        look_at_hostile_names(browser, build, folder)
        look_at_many_pods(browser, build, folder)
        look_at_daemons(browser, build, folder)
    finally:
        browser.close()
    print(f"e2e page: {made} checks, {len(failures)} failed; pictures are in {folder}")
    return 1 if failures else 0


sys.exit(main())
