"""All of Confide in a browser: forms drawn from requests, pages drawn from outcomes. Nothing leaves the machine.

project       the folder: names, kinds of files, run files and their versions, a run in other words
tables        tables: read once, shown from a copy; the roles of their columns
work          jobs as processes of their own, what their folders tell, verdicts on releases
forms         a form from a job's description, what is posted, and what it asks for
hierarchies   hierarchies as trees, and changes of them
guide         from what a person has and fears to a stage and its numbers
stages        what the screens of collect, join and stream show
visit         what a screen is given, and what it gives back
begun         a run that a screen begins by itself
screens       one module for each screen, and their registry
screen_pages  the screens over HTTP
jobs          the job `studio`
listening     a folder, an address, a browser
templates/    the HTML of the screens, in one layout
static/       one style sheet beside that of reports, one script

A page is drawn on the server from files alone and works without scripts; `studio.js` makes it live. Nothing is kept in
the browser. What a person changes is a version of a file (`Studio.versions.save`), what takes long is a job
(`Studio.jobs.start`), what is known of a release is a verdict (`Studio.verdicts.of`).

**A new screen** is three things:

1. `screens/NAME.py` with `def show_NAME(visit: Visit) -> Answer`. `visit.studio` has folder, files, versions and jobs;
   `visit.text("x")` is a text of the form or the query; `visit.form` is None where somebody only looks. It returns
   `Page(template=, title=, values=)`, `GoTo(address("job", n=3))` or a `FileAnswer`. A
   `ConfideError` becomes a page with its one line. `Page(owner=True)` marks what shows people's data, `again_after=2`
   reloads.
2. `templates/NAME.html.j2`, which begins with `{% extends "layout.html.j2" %}` and fills the block `main`; tables,
   facts and charts come from the macros of reports (`parts.html.j2`). No inline style, no inline script: the policy
   forbids both. Links are relative (`{{ address("run", name=name) }}`), since the key stands in front.
3. One entry in `screens/registry.py`, and an address in `tests/studio/scenarios/test_screens.py`, which opens every
   screen with axe-core, at two widths, light and dark.
"""
