#!/bin/sh
# The command `petstore` as the user of the service, with its settings. Install it as /usr/local/bin/petstore.
exec sudo -u petstore /opt/petstore/node_modules/.bin/node /opt/petstore/dist/bin.js --environment-file /etc/petstore.env "$@"
