"""The calculator as a page: static files that any web host serves, and the Python that answers in the browser."""
