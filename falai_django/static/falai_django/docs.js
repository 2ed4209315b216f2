"use strict";

// The schema's address stands in the page: nothing is written into scripts.
const place = document.getElementById("docs");
SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  displayOperationId: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
  validatorUrl: null,
});
