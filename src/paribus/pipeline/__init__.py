"""One problem from start to finish: coded, stratified, estimated, assembled, ranked."""
