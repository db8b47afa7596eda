"""The Lab: type a program, run it, watch its backward pass.

`streamlit run` imports this file for the application in it, then runs it as the script of the page.
"""

from streamlit.starlette import App

from gradreel.host import pages
from gradreel.host.serve import guards, routes
from gradreel.host.settings import settings
from gradreel.host.wait import patient
from gradreel.player import mount

if __name__ == "__main__":
    mount.show(pages.lab_page(patient(mount.pulse)))
else:
    app = App(__file__, routes=routes(), middleware=guards(settings()))
